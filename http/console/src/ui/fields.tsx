// Labelled fields, and filters whose values stand in the URL.
import type {ComponentChildren, JSX} from 'preact';
import {useEffect, useId, useState} from 'preact/hooks';
import {typedUtc} from '../lib/format';
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
        : <input {...common} type={props.type ?? 'text'} autoComplete="off" spellcheck={false} onInput={event => props.onInput(event.currentTarget.value)} />}
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
export function FilterText(props: Common & {name: string; placeholder?: string; type?: 'text' | 'search' | 'number'}): JSX.Element {
  const stored = param(props.name);
  const [typed, setTyped] = useState(stored);
  useEffect(() => setTyped(stored), [stored]);
  useEffect(() => {
    if (typed === stored) return undefined;
    const timer = setTimeout(() => setQuery({[props.name]: typed.trim(), cursor: undefined, page: undefined}, 'replace'), 300);
    return () => clearTimeout(timer);
  }, [typed, stored, props.name]);
  return <Text label={props.label} hint={props.hint} wrong={props.wrong} type={props.type ?? 'search'} placeholder={props.placeholder} value={typed} onInput={setTyped} />;
}

export function FilterSelect(props: Common & {name: string; options: Array<[string, string]>}): JSX.Element {
  return (
    <Select label={props.label} hint={props.hint} value={param(props.name)} options={props.options}
      onChange={value => setQuery({[props.name]: value, cursor: undefined, page: undefined}, 'replace')} />
  );
}

const notTyped = 'Such as 2026-11-25 or 2026-11-25 19:36.';

/** The filters `from` and `to`, which hold UTC as text, in milliseconds, and what is wrong with them. */
export function timeRange(): {from: number | null; to: number | null; wrongFrom?: string; wrongTo?: string} {
  const [from, to] = [param('from'), param('to')].map(typedUtc) as [number | null, number | null];
  const wrongFrom = param('from') && from === null ? notTyped : undefined;
  const wrongTo = param('to') && to === null ? notTyped : from !== null && to !== null && from >= to ? 'This must be later than the field before.' : undefined;
  return {from, to, wrongFrom, wrongTo};
}
