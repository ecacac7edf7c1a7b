// The small parts that every page is made of.
import type {ComponentChildren, JSX} from 'preact';
import {useEffect, useId, useRef} from 'preact/hooks';
import * as format from '../lib/format';
import {now} from '../lib/clock';
import {hrefWith, param} from '../lib/router';
import {CopyLink} from './copy';
import type {ApiError} from '../lib/api';

type Tone = 'good' | 'warn' | 'bad' | 'off' | '';

export function Button(props: {
  onClick?: () => void;
  kind?: 'primary' | 'danger' | 'danger primary' | 'plain' | '';
  small?: boolean;
  type?: 'button' | 'submit';
  disabled?: boolean;
  label?: string;
  pressed?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <button type={props.type ?? 'button'} class={`button ${props.kind ?? ''}${props.small ? ' small' : ''}`} onClick={props.onClick}
      disabled={props.disabled} aria-label={props.label} aria-pressed={props.pressed}>
      {props.children}
    </button>
  );
}

export function Badge({tone, children}: {tone: Tone; children: ComponentChildren}): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A moment in UTC; the reader's own time shows on hover. */
export function Time({at, fraction, age}: {at: format.Moment; fraction?: boolean; age?: boolean}): JSX.Element {
  const date = format.moment(at);
  if (!date) return <span class="quiet">–</span>;
  const shown = format.utc(date, fraction);
  const title = `${format.local(date)}, your time`;
  if (!age) return <time class="num" dateTime={date.toISOString()} title={title}>{shown.split(' ').map((part, i) => [i > 0 && ' ', <span key={part} class="whole">{part}</span>])}</time>;
  const passed = (now.value - date.getTime()) / 1000;
  return (
    <time class="num" dateTime={date.toISOString()} title={`${shown} UTC, ${title}`}>
      {passed < 0 ? `in ${format.seconds(-passed)}` : `${format.seconds(passed)} ago`}
    </time>
  );
}

/** A number that moves: right-aligned in a width that is kept free for it. */
export function Fixed({width, children}: {width: number; children: ComponentChildren}): JSX.Element {
  return <span class="fixed" style={{minWidth: `${width}ch`}}>{children}</span>;
}

export interface Stat {
  label: string;
  value: ComponentChildren;
  unit?: string;
  note?: ComponentChildren;
  tone?: Tone;
}

export function Stats({of, label}: {of: Stat[]; label: string}): JSX.Element {
  return (
    <dl class="stats" aria-label={label}>
      {of.map(stat => (
        <div class="stat" key={stat.label}>
          <dt>{stat.label}</dt>
          <dd>{stat.tone ? <Badge tone={stat.tone}>{stat.value}</Badge> : stat.value}{stat.unit && <span class="unit">{stat.unit}</span>}</dd>
          {stat.note !== undefined && <dd class="note">{stat.note}</dd>}
        </div>
      ))}
    </dl>
  );
}

export function Pairs({of}: {of: Array<[string, ComponentChildren]>}): JSX.Element {
  return (
    <dl class="pairs">
      {of.map(([name, value]) => [<dt key={`${name}-`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}

/** A view with its one heading; `lead` says what it is for. */
export function Page(props: {title: ComponentChildren; lead?: ComponentChildren; actions?: ComponentChildren; children: ComponentChildren}): JSX.Element {
  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1}>{props.title}</h1>
        {props.actions && <div class="row">{props.actions}</div>}
        <CopyLink />
        {props.lead && <p class="lead">{props.lead}</p>}
      </header>
      <div class="page">{props.children}</div>
    </>
  );
}

/** How an address names a section: "Slow statements" is `?part=slow-statements`. */
const partOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');

/** The ways to the sections of a long page. */
export function Contents({of}: {of: string[]}): JSX.Element {
  const again = (part: string): void => document.querySelector(`[data-part="${part}"]`)?.scrollIntoView(); // where the address stays as it is
  return <nav class="row wide" aria-label="Sections of the page">{of.map(each => <a key={each} href={hrefWith({part: partOf(each)})} onClick={() => again(partOf(each))}>{each}</a>)}</nav>;
}

export function Section(props: {title: string; lead?: ComponentChildren; actions?: ComponentChildren; children: ComponentChildren}): JSX.Element {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const part = partOf(props.title);
  const wanted = param('part') === part;
  useEffect(() => {
    const timer = wanted ? setTimeout(() => { // behind what a page does when it is opened
      heading.current?.scrollIntoView();
      heading.current?.focus({preventScroll: true});
    }) : undefined;
    return () => clearTimeout(timer);
  }, [wanted]);
  return (
    <section class="section" aria-labelledby={id} data-part={part}>
      <div class="section-head">
        <h2 id={id} ref={heading} tabIndex={wanted ? -1 : undefined}>{props.title}</h2>
        {props.actions && <div class="row">{props.actions}</div>}
        {props.lead && <p>{props.lead}</p>}
      </div>
      {props.children}
    </section>
  );
}

/** What is not there, and what to do about it. */
export function Empty({what, children}: {what: string; children?: ComponentChildren}): JSX.Element {
  return <div class="empty"><strong>{what}</strong>{children}</div>;
}

export function Note(props: {tone: Tone; title?: ComponentChildren; children?: ComponentChildren}): JSX.Element {
  return <div class={`note-box ${props.tone}`}>{props.title && <h3>{props.title}</h3>}{props.children}</div>;
}

/** An error in plain words, with a way on. */
export function Failed({error, retry}: {error: ApiError; retry?: () => void}): JSX.Element {
  return (
    <div class="note-box bad" role="alert">
      <p><strong>{error.title}</strong></p>
      <p>{error.message}</p>
      {error.requestId && <p class="quiet small">Request <code>{error.requestId}</code>{error.code && <>, code <code>{error.code}</code></>}</p>}
      {retry && <p><Button small onClick={retry}>Try again</Button></p>}
    </div>
  );
}

/** How far long work is; without `share` only that it goes on. */
export function Progress({share, label}: {share?: number | null; label: string}): JSX.Element {
  const known = share !== undefined && share !== null;
  return (
    <div role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={known ? Math.round(share * 100) : undefined} class="bar">
      {known ? <span style={{width: `${Math.min(100, share * 100)}%`}} /> : <span class="busy-bar" />}
    </div>
  );
}

/** A name or value of the system, which breaks behind its dots, dashes, commas and the like alone. */
export function Name({of}: {of: string}): JSX.Element {
  return <code class="name">{of.split(/(?<=[._/:,=&?-])(?=.)/).map((part, i) => (i === 0 ? part : [<wbr key={i} />, part]))}</code>;
}

/** Text of the reference, whose code stands between back quotes. */
export function Marked({text}: {text: string}): JSX.Element {
  return <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}

export function Tabs({label, of}: {label: string; of: Array<{to: string; name: ComponentChildren; current: boolean}>}): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      {of.map(tab => <a key={tab.to} href={tab.to} aria-current={tab.current ? 'page' : undefined}>{tab.name}</a>)}
    </nav>
  );
}
