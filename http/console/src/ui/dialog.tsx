// Acts ask before they happen: what will change, and for dangerous ones a word to type.
import {signal} from '@preact/signals';
import type {ComponentChildren, JSX} from 'preact';
import {useEffect, useId, useRef, useState} from 'preact/hooks';
import {ApiError} from '../lib/api';
import {Button, Failed} from './basics';
import {say} from './toasts';
import {Text} from './fields';

export interface Act {
  title: string;
  /** What will happen, in plain words. */
  body: ComponentChildren;
  /** The verb on the button: "Stop the actor". */
  verb: string;
  /** What must be typed before the button works; acts without it ask with the button alone. */
  word?: string;
  danger?: boolean;
  /** Whether a reason is asked for, which the audit keeps. */
  reason?: boolean;
  run: (reason: string) => Promise<string | void>;
}

const current = signal<Act | null>(null);

/** Asks for the act; `run` is called once it was confirmed, and what it answers is said. */
export function ask(act: Act): void {
  current.value = act;
}

export function Confirmation(): JSX.Element | null {
  const act = current.value;
  return act && <Asked key={act.title} act={act} />;
}

function Asked({act}: {act: Act}): JSX.Element {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const opener = useRef(document.activeElement);
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);

  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    (element?.querySelector('input, textarea') as HTMLElement | null)?.focus();
    return () => {
      element?.close(); // what is behind an open one takes no focus
      (opener.current as HTMLElement | null)?.focus?.();
    };
  }, []);

  const ready = !busy && (!act.word || typed.trim() === act.word);
  const close = (): void => {
    if (!busy) current.value = null;
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!ready) return;
    setBusy(true);
    setError(null);
    try {
      const said = await act.run(reason.trim());
      current.value = null;
      if (said) say(said);
    } catch (why) {
      setError(ApiError.from(why));
      setBusy(false);
    }
  };

  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onCancel={event => { event.preventDefault(); close(); }}>
      <form onSubmit={submit} novalidate>
        <h2 id={id}>{act.title}</h2>
        <div class="body">{act.body}</div>
        {act.reason && <Text label="Reason, for the audit log" value={reason} onInput={setReason} maxLength={200} />}
        {act.word && <Text label={`Type ${act.word} to confirm`} value={typed} onInput={setTyped} mono />}
        {error && <Failed error={error} />}
        <div class="actions">
          <Button onClick={close} disabled={busy}>Cancel</Button>
          <Button type="submit" kind={act.danger ? 'danger primary' : 'primary'} disabled={!ready}>{busy ? 'Working…' : act.verb}</Button>
        </div>
      </form>
    </dialog>
  );
}
