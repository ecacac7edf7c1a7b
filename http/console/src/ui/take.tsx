// Buttons that take what a list shows along as a file.
import type {JSX} from 'preact';
import {useState} from 'preact/hooks';
import {ApiError} from '../lib/api';
import {count, whole} from '../lib/format';
import {save} from '../lib/take';
import type {Format, Rows} from '../lib/take';
import {Button} from './basics';
import {say} from './toasts';

const formats: Format[] = ['csv', 'json'];

/** `name` of the file; `rows` gives what goes into it. */
export function Take({name, rows}: {name: string; rows: () => Rows | Promise<Rows>}): JSX.Element {
  const [busy, setBusy] = useState(false);
  const take = async (format: Format): Promise<void> => {
    setBusy(true);
    try {
      const taken = await rows();
      save(name, format, taken.rows);
      say(taken.complete ? `${count(taken.rows.length, 'row')} saved.` : `The first ${whole(taken.rows.length)} rows saved. Narrow the filter to get the others.`);
    } catch (why) {
      say(`Nothing was saved: ${ApiError.from(why).message}`, true);
    }
    setBusy(false);
  };
  return (
    <span class="take row" role="group" aria-label={`Save ${name}`}>
      {formats.map(format => <Button key={format} small kind="plain" disabled={busy} label={`Save ${name} as ${format.toUpperCase()}`} onClick={() => void take(format)}>{format.toUpperCase()}</Button>)}
    </span>
  );
}
