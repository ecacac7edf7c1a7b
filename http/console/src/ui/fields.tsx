// Labelled fields, and filters whose values stand in the URL.
import type {ComponentChildren, JSX} from 'preact';
import {useEffect, useId, useState} from 'preact/hooks';
import {dayMs, typedUtc, utc} from '../lib/format';
import {param, setQuery} from '../lib/router';

interface Common {
  label: string;
  hint?: ComponentChildren;
  wrong?: string;
}

export function Text(props: Common & {
  value: string;
  onInput: (value: string) => void;
  type?: 'text' | 'number' | 'search' | 'url' | 'date' | 'datetime-local';
  placeholder?: string;
  required?: boolean;
  rows?: number;
  mono?: boolean;
  maxLength?: number;
  onLeave?: () => void;
}): JSX.Element {
  const id = useId();
  const common = {
    id,
    class: `input${props.mono ? ' mono' : ''}`,
    value: props.value,
    placeholder: props.placeholder,
    required: props.required,
    maxLength: props.maxLength,
    'aria-invalid': props.wrong ? true : undefined,
    'aria-describedby': props.hint || props.wrong ? `${id}-hint` : undefined
  };
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.rows
        ? <textarea {...common} rows={props.rows} onInput={event => props.onInput(event.currentTarget.value)} />
        : <input {...common} type={props.type ?? 'text'} autoComplete="off" spellcheck={false} onInput={event => props.onInput(event.currentTarget.value)} onBlur={props.onLeave} />}
      {(props.hint || props.wrong) && <span class="hint" id={`${id}-hint`}>{props.wrong || props.hint}</span>}
    </div>
  );
}

export function Select(props: Common & {value: string; onChange: (value: string) => void; options: Array<[string, string]>}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select id={id} class="input" value={props.value} onChange={event => props.onChange(event.currentTarget.value)}>
        {props.options.map(([value, name]) => <option key={value} value={value} selected={value === props.value}>{name}</option>)}
      </select>
      {props.hint && <span class="hint">{props.hint}</span>}
    </div>
  );
}

export function Check(props: {label: ComponentChildren; checked: boolean; onChange: (checked: boolean) => void}): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" checked={props.checked} onChange={event => props.onChange(event.currentTarget.checked)} />
      <span>{props.label}</span>
    </label>
  );
}

/** A text filter: what is typed comes into the URL when the typing pauses. */
export function FilterText(props: Common & {name: string; placeholder?: string; type?: 'text' | 'search' | 'number'; onLeave?: (typed: string) => void}): JSX.Element {
  const stored = param(props.name);
  const [typed, setTyped] = useState(stored);
  useEffect(() => setTyped(stored), [stored]);
  useEffect(() => {
    if (typed === stored) return undefined;
    const timer = setTimeout(() => setQuery({[props.name]: typed.trim(), cursor: undefined, page: undefined}, 'replace'), 300);
    return () => clearTimeout(timer);
  }, [typed, stored, props.name]);
  return <Text label={props.label} hint={props.hint} wrong={props.wrong} type={props.type ?? 'search'} placeholder={props.placeholder} value={typed} onInput={setTyped} onLeave={() => props.onLeave?.(typed)} />;
}

export function FilterSelect(props: Common & {name: string; options: Array<[string, string]>}): JSX.Element {
  return (
    <Select label={props.label} hint={props.hint} value={param(props.name)} options={props.options}
      onChange={value => setQuery({[props.name]: value, cursor: undefined, page: undefined}, 'replace')} />
  );
}

export const timeExample = 'Such as 03:12, yesterday, 2026-11-25 or 2026-11-25 19:36.';

interface Range {
  from: number | null;
  to: number | null;
  wrongFrom?: string;
  wrongTo?: string;
}

/** The filters `from` and `to`, which hold UTC as text, in milliseconds, and what is wrong with them. */
export function timeRange(): Range {
  const [from, to] = [typedUtc(param('from')), typedUtc(param('to'))];
  const wrongFrom = param('from') && from === null ? timeExample : undefined;
  const wrongTo = param('to') && to === null ? timeExample : from !== null && to !== null && from >= to ? 'This must be later than the field before.' : undefined;
  return {from, to, wrongFrom, wrongTo};
}

/** The fields of `timeRange`, and a choice of times that are often wanted. What goes by today is written out when its field is left, so that a link means the same tomorrow. */
export function TimeFilters({wrongFrom, wrongTo}: Range): JSX.Element {
  const [now, today] = [Date.now(), Math.floor(Date.now() / dayMs) * dayMs];
  const text = (ms: number): string => utc(new Date(ms)).slice(0, 16);
  const spans: Record<string, [string, string]> = {hour: [text(now - dayMs / 24), ''], today: [text(today), ''], yesterday: [text(today - dayMs), text(today)]};
  const [from, to] = [param('from'), param('to')];
  const chosen = Object.entries(spans).find(([, [begin, end]]) => begin === from && end === to)?.[0];
  const choose = (name: string): void => setQuery({from: spans[name]?.[0], to: spans[name]?.[1], cursor: undefined}, 'replace');
  const writeOut = (name: string) => (typed: string): void => {
    const ms = typedUtc(typed);
    if (ms !== null && !/^\s*\d{4}-/.test(typed)) setQuery({[name]: utc(new Date(ms)), cursor: undefined}, 'replace');
  };
  return (
    <>
      <Select label="Time" value={chosen ?? (from || to ? 'typed' : '')} onChange={choose}
        options={[['', 'any'], ['hour', 'the last hour'], ['today', 'today'], ['yesterday', 'yesterday'], ...(!chosen && (from || to) ? [['typed', 'as typed'] as [string, string]] : [])]} />
      <FilterText name="from" label="From (UTC)" placeholder="03:12" wrong={wrongFrom} onLeave={writeOut('from')} />
      <FilterText name="to" label="Before (UTC)" placeholder="2026-11-26" wrong={wrongTo} onLeave={writeOut('to')} />
    </>
  );
}
