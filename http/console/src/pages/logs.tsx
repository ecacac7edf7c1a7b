import type {JSX} from 'preact';
import {useSignal} from '@preact/signals';
import {useCallback, useEffect, useRef, useState} from 'preact/hooks';
import {at, write} from '../lib/api';
import type {LogLevel, LogLine, LogPage} from '../lib/contract';
import {useTopic} from '../lib/events';
import {count, utc} from '../lib/format';
import {useResource} from '../lib/resource';
import {param} from '../lib/router';
import {can} from '../lib/session';
import {Badge, Button, Empty, Failed, Page, Section, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {FilterSelect, FilterText, Select} from '../ui/fields';
import {Take} from '../ui/take';

const levels: LogLine['level'][] = ['debug', 'info', 'warn', 'error'];
const keptMax = 1000;

function matches(line: LogLine, level: string, event: string, text: string): boolean {
  if (level && levels.indexOf(line.level) < levels.indexOf(level as LogLine['level'])) return false;
  if (event && line.event !== event) return false;
  return !text || JSON.stringify(line).toLowerCase().includes(text.toLowerCase());
}

function Line({of}: {of: LogLine}): JSX.Element {
  const date = new Date(of.at);
  return (
    <li>
      <time dateTime={date.toISOString()} title={`${utc(date, true)} UTC, ${date.toLocaleString()} your time`}>{utc(date, true).slice(11)}</time>
      <span class={`lvl-${of.level}`}>{of.level}</span>
      <span><strong>{of.event}</strong> {Object.entries(of.fields).map(([name, value]) => `${name}=${typeof value === 'string' && /\s/.test(value) ? JSON.stringify(value) : String(value)}`).join(' ')}</span>
    </li>
  );
}

function Tail(): JSX.Element {
  const [level, event, text] = [param('level'), param('event'), param('text')];
  const page = useResource<LogPage>(at(['logs'], {level, event, text, limit: 500}));
  const lines = useSignal<LogLine[]>([]);
  const held = useSignal<LogLine[]>([]);
  const paused = useSignal(false);
  const list = useRef<HTMLDivElement>(null);

  const merge = useCallback((more: LogLine[]) => {
    const byNumber = new Map(lines.value.map(each => [each.number, each]));
    for (const each of more) byNumber.set(each.number, each);
    lines.value = [...byNumber.values()].sort((a, b) => a.at - b.at || a.number - b.number).slice(-keptMax);
  }, [lines]);
  const take = useCallback((data: unknown) => {
    const line = data as LogLine;
    if (!matches(line, level, event, text)) return;
    if (paused.value) held.value = [...held.value, line].slice(-keptMax);
    else merge([line]);
  }, [level, event, text, merge, paused, held]);
  const anew = useCallback(() => { // a new process counts its lines from the beginning
    lines.value = [];
    page.reload();
  }, [page.reload, lines]);
  useTopic('logs', take, anew, page.reload);
  useEffect(() => {
    lines.value = [];
    held.value = [];
  }, [level, event, text]);
  useEffect(() => {
    if (page.data.value) merge(page.data.value.values);
  }, [page.data.value]);
  useEffect(() => {
    if (list.current && !paused.value) list.current.scrollTop = list.current.scrollHeight;
  }, [lines.value]);

  const flip = (): void => {
    if (paused.value) {
      merge(held.value);
      held.value = [];
    }
    paused.value = !paused.value;
  };
  return (
    <Section title="Lines" actions={<><span class="quiet num">{count(lines.value.length, 'line')}{held.value.length > 0 && `, ${held.value.length} held back`}</span>
      <Take name="log" rows={() => ({rows: lines.value, complete: true})} />
      <Button small pressed={paused.value} onClick={flip}>{paused.value ? 'Go on' : 'Pause'}</Button></>}>
      <div class="filters">
        <FilterSelect name="level" label="Level" options={[['', 'all that is logged'], ['info', 'info and graver'], ['warn', 'warn and graver'], ['error', 'error']]} />
        <FilterText name="event" label="Event" placeholder="credential_refused" />
        <FilterText name="text" label="Holds the text" placeholder="a request id" />
      </div>
      {page.error.value && <Failed error={page.error.value} retry={page.reload} />}
      {lines.value.length > 0
        ? <div class="lines" ref={list} tabIndex={0} role="log" aria-live="off" aria-label="Lines of the log, oldest first"><ol>{lines.value.map(each => <Line key={each.number} of={each} />)}</ol></div>
        : page.data.value && <Empty what="No line matches.">{level || event || text ? 'Take filters out to see more.' : 'Lines appear here as the server writes them.'} A more talkative level shows more.</Empty>}
    </Section>
  );
}

function Level(): JSX.Element {
  const {data, error, reload, put} = useResource<LogLevel>('logs/level', 15);
  const [level, setLevel] = useState('debug');
  const [minutes, setMinutes] = useState('10');
  const now = data.value;
  const change = (): void => ask({
    title: `Log at ${level} for ${count(Number(minutes), 'minute')}`,
    body: <p>{level === 'debug' ? 'The log grows much faster meanwhile.' : level === 'off' ? 'Nothing is logged meanwhile, not even errors.' : 'Lines of lesser levels are left out meanwhile.'} Then the configured level, {now?.configured}, returns by itself.</p>,
    verb: 'Change the level',
    word: level === 'off' ? 'off' : undefined,
    danger: level === 'off',
    run: async () => {
      put(await write<LogLevel>('PUT', 'logs/level', {level, minutes: Number(minutes)}));
      return `The log is at ${level}.`;
    }
  });
  const back = (): void => ask({
    title: 'Back to the configured level',
    body: <p>The log is at {now?.configured} again at once.</p>,
    verb: 'Change the level',
    run: async () => {
      put(await write<LogLevel>('DELETE', 'logs/level'));
      return 'The configured level holds again.';
    }
  });
  return (
    <Section title="Level">
      {error.value && <Failed error={error.value} retry={reload} />}
      {now && (
        <>
          <p><Badge tone={now.until ? 'warn' : 'good'}>{now.level}</Badge>{now.until
            ? <> until <Time at={now.until} /> UTC, then {now.configured}; set by {now.by}.</>
            : <span class="quiet"> as configured (log.level).</span>}</p>
          {can('operator') && (
            <form class="row wide end" onSubmit={event => { event.preventDefault(); change(); }}>
              <Select label="Level for a while" value={level} onChange={setLevel} options={['debug', 'info', 'warn', 'error', 'off'].map(each => [each, each])} />
              <Select label="For" value={minutes} onChange={setMinutes} options={['5', '10', '30', '60'].map(each => [each, count(Number(each), 'minute')])} />
              <Button type="submit">Change…</Button>
              {now.until !== null && <Button onClick={back}>Back to {now.configured}…</Button>}
            </form>
          )}
        </>
      )}
    </Section>
  );
}

export function LogsPage(): JSX.Element {
  return (
    <Page title="Logs" lead="What the server writes on standard error, as it writes it: the last 2,000 lines from memory, then the new ones. Times are UTC.">
      <Tail />
      <Level />
    </Page>
  );
}
