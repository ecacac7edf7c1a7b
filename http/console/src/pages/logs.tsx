import type {JSX} from 'preact';
import {useSignal} from '@preact/signals';
import {useCallback, useEffect, useRef, useState} from 'preact/hooks';
import {at, write} from '../lib/api';
import type {AuditEntry, LogLevel, LogLine, LogPage} from '../lib/contract';
import {useTopic} from '../lib/events';
import {count, utc, whole, words} from '../lib/format';
import {useResource} from '../lib/resource';
import {href, param, place} from '../lib/router';
import {can} from '../lib/session';
import {Badge, Button, Empty, Failed, Name, Page, Pairs, Section, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {FilterSelect, FilterText, Select, TimeFilters, timeRange} from '../ui/fields';
import {Profile} from '../ui/profile';
import {DataTable} from '../ui/table';
import {everyPage} from '../lib/take';
import {Take} from '../ui/take';

const levels: LogLine['level'][] = ['debug', 'info', 'warn', 'error'];
const keptMax = 1000;

interface Wanted {
  level: string;
  event: string;
  text: string;
  from: number | null;
  to: number | null;
}

function matches(line: LogLine, {level, event, text, from, to}: Wanted): boolean {
  if ((from !== null && line.at < from) || (to !== null && line.at >= to)) return false;
  if (level && levels.indexOf(line.level) < levels.indexOf(level as LogLine['level'])) return false;
  if (event && line.event !== event) return false;
  return !text || JSON.stringify(line).toLowerCase().includes(text.toLowerCase());
}

/** The command that shows the same time of the journal. */
function journalOf(from: number | null, to: number | null): string {
  const bound = (name: string, ms: number | null): string => (ms === null ? '' : ` --${name} '${utc(new Date(ms))} UTC'`);
  return `journalctl -u credence${bound('since', from)}${bound('until', to)}`;
}

const ofOne = new Set(['request_id', 'ms', 'took_ms']); // fields that tell requests of the same kind apart

function alike(a: LogLine, b: LogLine): boolean {
  const rest = (of: LogLine): string => JSON.stringify(Object.entries(of.fields).filter(([name]) => !ofOne.has(name)));
  return a.level === b.level && a.event === b.event && rest(a) === rest(b);
}

interface Shown {
  line: LogLine;
  /** How many there are of it in a row; `line` is the last of them. */
  times: number;
}

function together(lines: LogLine[]): Shown[] {
  const out: Shown[] = [];
  for (const line of lines) {
    const last = out[out.length - 1];
    if (last && alike(last.line, line)) out[out.length - 1] = {line, times: last.times + 1};
    else out.push({line, times: 1});
  }
  return out;
}

function Line({of, times}: {of: LogLine; times: number}): JSX.Element {
  const date = new Date(of.at);
  return (
    <li>
      <a href={href(['logs', of.number], {at: of.at})} aria-label={`The line of ${utc(date, true)}`}><time dateTime={date.toISOString()} title={`${utc(date, true)} UTC, ${date.toLocaleString()} your time`}>{utc(date, true).slice(11)}</time></a>
      <span class={`lvl-${of.level}`}>{of.level}</span>
      <span>{times > 1 && <strong class="num">{whole(times)} × </strong>}<strong>{of.event}</strong> {Object.entries(of.fields).map(([name, value]) => `${name}=${typeof value === 'string' && /\s/.test(value) ? JSON.stringify(value) : String(value)}`).join(' ')}</span>
    </li>
  );
}

function Tail(): JSX.Element {
  const [level, event, text, each] = [param('level'), param('event'), param('text'), param('repeats') === 'each'];
  const range = timeRange();
  const {from, to} = range;
  const right = !range.wrongFrom && !range.wrongTo;
  const page = useResource<LogPage>(right ? at(['logs'], {level, event, text, from, to, limit: 500}) : null);
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
    if (!right || !matches(line, {level, event, text, from, to})) return;
    if (paused.value) held.value = [...held.value, line].slice(-keptMax);
    else merge([line]);
  }, [level, event, text, from, to, right, merge, paused, held]);
  const anew = useCallback(() => { // a new process counts its lines from the beginning
    lines.value = [];
    page.reload();
  }, [page.reload, lines]);
  useTopic('logs', take, anew, page.reload);
  useEffect(() => {
    lines.value = [];
    held.value = [];
  }, [level, event, text, from, to]);
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
        <TimeFilters {...range} />
        <FilterSelect name="repeats" label="Repeated lines" options={[['', 'once, with their number'], ['each', 'each']]} />
      </div>
      {page.error.value && <Failed error={page.error.value} retry={page.reload} />}
      {lines.value.length > 0
        ? <div class="lines" ref={list} tabIndex={0} role="log" aria-live="off" aria-label="Lines of the log, oldest first"><ol>{(each ? lines.value.map((line): Shown => ({line, times: 1})) : together(lines.value)).map(({line, times}) => <Line key={line.number} of={line} times={times} />)}</ol></div>
        : page.data.value && (
          <Empty what="No line matches.">
            {level || event || text || from || to ? 'Take filters out to see more.' : 'Lines appear here as the server writes them.'} A more talkative level shows more.
            {' '}Refused requests (4xx) are no lines of their own unless <code>log.requests</code> is true: the <a href={href(['history'], from === null ? {} : {from, to: to ?? Date.now()})}>History</a> counts them by route and client.
            {(from !== null || to !== null) && <> Only the last 2,000 lines are in memory; the journal has older ones: <code>{journalOf(from, to)}</code></>}
          </Empty>
        )}
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

/** Everything that is known of one request: its lines of the log, and its entries of the audit. */
function OfRequest({id}: {id: string}): JSX.Element {
  const lines = useResource<LogPage>(at(['logs'], {text: id, limit: 500}));
  const entries = useResource<{values: AuditEntry[]; next: string | null}>(at(['audit'], {requestId: id, limit: 100}));
  return (
    <>
      <Section title="Lines of the request" actions={lines.data.value && lines.data.value.values.length > 0 && <Take name="request" rows={() => ({rows: lines.data.value?.values ?? [], complete: true})} />}>
        {lines.error.value && <Failed error={lines.error.value} retry={lines.reload} />}
        {lines.data.value && (lines.data.value.values.length > 0
          ? <div class="lines low" tabIndex={0} role="group" aria-label="Lines of the request, oldest first"><ol>{lines.data.value.values.map(each => <Line key={each.number} of={each} times={1} />)}</ol></div>
          : <Empty what="The log in memory has no line of it.">It holds the last 2,000; the journal has the older ones.</Empty>)}
      </Section>
      <Section title="What the audit has of it">
        {entries.error.value && <Failed error={entries.error.value} retry={entries.reload} />}
        {entries.data.value && (
          <DataTable caption="Entries of the request" file="request-audit" all={() => everyPage(['audit'], {requestId: id})} rows={entries.data.value.values} id={each => each.number} empty={<Empty what="It changed nothing that the audit tells of." />}
            columns={[
              {head: 'When (UTC)', cell: each => <Time at={each.at} fraction />, by: each => each.at},
              {head: 'Act', cell: each => <a href={href(['audit'], {requestId: id, entry: each.number})}>{words(each.act)}</a>, by: each => each.act},
              {head: 'Asked by', cell: each => <Profile id={each.callerId} />},
              {head: 'About', cell: each => <Profile id={each.profileId} />},
              {head: 'Subject', cell: each => each.subject}
            ]} />
        )}
      </Section>
    </>
  );
}

function RequestPage({id}: {id: string}): JSX.Element {
  return <Page title="One request" lead={<><code>{id}</code>. <a href={href(['logs'])}>All lines</a></>}><OfRequest id={id} /></Page>;
}

/** One line; its moment finds it, as numbers begin anew with a process. */
function LinePage({number}: {number: number}): JSX.Element {
  const moment = Number(param('at'));
  const {data, error, reload} = useResource<LogPage>(at(['logs'], {from: moment, to: moment + 1, limit: 500}));
  const line = data.value?.values.find(each => each.number === number);
  const request = line?.fields.request_id;
  const around = {from: utc(new Date(moment - 60_000)), to: utc(new Date(moment + 60_000))};
  return (
    <Page title="One line of the log" lead={<a href={href(['logs'])}>All lines</a>}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && !line && <Empty what="The line is not in memory any more.">The last 2,000 lines are, since the start of the server; the journal has the older ones.</Empty>}
      {line && (
        <>
          <Section title={line.event} actions={<Take name="line" rows={() => ({rows: [line], complete: true})} />}>
            <div class="panel">
              <Pairs of={[['When', <><Time at={line.at} fraction /> UTC</>], ['Level', line.level], ...Object.entries(line.fields).map(([name, value]): [string, JSX.Element] => [name, <Name of={String(value)} />])]} />
            </div>
            <p class="row wide">
              <a href={href(['logs'], {event: line.event})}>All lines of this event</a>
              <a href={href(['logs'], around)}>The lines around it</a>
              <a href={href(['history'], {from: moment - 300_000, to: moment + 300_000, moment})}>The figures around it</a>
            </p>
          </Section>
          {typeof request === 'string' && request !== '' && <OfRequest id={request} />}
        </>
      )}
    </Page>
  );
}

export function LogsPage(): JSX.Element {
  const [, part = '', id = ''] = place.value.path;
  if (part === 'request' && id) return <RequestPage key={id} id={id} />;
  if (/^\d+$/.test(part) && Number(param('at')) > 0) return <LinePage key={part} number={Number(part)} />;
  return (
    <Page title="Logs" lead="What the server writes on standard error, as it writes it: the last 2,000 lines from memory, then the new ones. Failed requests (5xx) are among them; refused ones (4xx) only with log.requests. Times are UTC.">
      <Tail />
      <Level />
    </Page>
  );
}
