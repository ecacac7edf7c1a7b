// The kept figures: the last hour by second, the last fortnight by minute, with what happened meanwhile.
import type {JSX} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import {at} from '../lib/api';
import {now} from '../lib/clock';
import type {History, Sample, SeriesMark, SeriesTotal} from '../lib/contract';
import {bytes, decimal, millis, rate, seconds, typedUtc, utc, whole} from '../lib/format';
import {useResource} from '../lib/resource';
import {go, href, hrefWith, param, setQuery} from '../lib/router';
import {Badge, Button, Empty, Failed, Fixed, Name, Page, Pairs, Section, Time} from '../ui/basics';
import {Chart} from '../ui/chart';
import type {Series} from '../ui/chart';
import {Select, Text, timeExample} from '../ui/fields';
import {DataTable} from '../ui/table';
import {Take} from '../ui/take';
import {withGaps} from './overview_state';

const minute = 60_000;
const hour = 60 * minute;
const kept = 14 * 24 * hour;
const shortest = 10_000;
const ranges: Array<[string, string, number]> = [
  ['5m', '5 minutes', 5 * minute], ['', '1 hour', hour], ['6h', '6 hours', 6 * hour], ['1d', '1 day', 24 * hour], ['3d', '3 days', 72 * hour], ['14d', '14 days', kept]];

interface Span {
  from: number;
  to: number;
  /** Whether it goes on with the time. */
  goesOn: boolean;
}

/** What the address says: `last` for a range up to now, or `from` and `to` in milliseconds. */
function span(): Span {
  const [from, to] = [Number(param('from')), Number(param('to'))];
  if (from > 0 && to > from) return {from, to, goesOn: false};
  const length = (ranges.find(([name]) => name === param('last')) ?? ranges[1]!)[2];
  const every = length <= hour ? 5000 : 30_000; // how often it is read anew
  const until = Math.floor(now.value / every) * every;
  return {from: until - length, to: until, goesOn: true};
}

function between(from: number, to: number): string {
  const newest = now.value;
  const length = Math.min(Math.max(to - from, shortest), kept);
  const end = Math.min(Math.round(to), Math.ceil(newest));
  return hrefWith({last: undefined, from: Math.round(end - length), to: end});
}

/** What is closer or wider is so around the moment that is looked at, or else around the middle. */
function Ranges({of, moment}: {of: Span; moment: number | undefined}): JSX.Element {
  const length = of.to - of.from;
  const middle = moment !== undefined && of.from <= moment && moment <= of.to ? moment : (of.from + of.to) / 2;
  const step = (title: string, from: number, to: number): JSX.Element => <a class="button small" href={between(from, to)}>{title}</a>;
  return (
    <div class="row wide">
      <nav class="row" aria-label="Time">
        {ranges.map(([name, title, range]) => (
          <a key={name} class="button small" aria-current={of.goesOn && length === range ? 'true' : undefined} href={hrefWith({last: name, from: undefined, to: undefined})}>{title}</a>
        ))}
      </nav>
      <nav class="row" aria-label="Move and zoom">
        {step('Earlier', of.from - length / 2, of.to - length / 2)}
        {step('Later', of.from + length / 2, of.to + length / 2)}
        {step('Zoom in', middle - length / 4, middle + length / 4)}
        {step('Zoom out', middle - length, middle + length)}
      </nav>
    </div>
  );
}

/** Leads to a moment that is known, such as 03:12, with some time around it. */
function GoTo(): JSX.Element {
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState(false);
  const submit = (event: Event): void => {
    event.preventDefault();
    const ms = typedUtc(typed, now.value);
    setAsked(ms === null);
    if (ms !== null) setQuery({last: undefined, from: ms - 5 * minute, to: Math.max(Math.min(ms + 5 * minute, Math.ceil(now.value)), ms), moment: ms});
  };
  return (
    <form class="row end" onSubmit={submit} novalidate>
      <Text label="Go to (UTC)" value={typed} onInput={setTyped} placeholder="03:12" wrong={asked && typedUtc(typed, now.value) === null ? timeExample : undefined} />
      <Button type="submit">Go</Button>
    </form>
  );
}

type Figure = Exclude<keyof Sample, 'at'>;
const perSecond = (value: number): string => `${rate(value)}/s`;
const counted = (value: number): string => whole(Math.round(value));
interface Drawing {
  title: string;
  write: (value: number) => string;
  lines: Array<[string, Figure]>;
  counts?: boolean;
  /** Whether it is also kept of each route, and of each client. */
  of?: 'both' | 'routes';
}
const drawings: Drawing[] = [
  {title: 'Requests', write: perSecond, of: 'both', lines: [['all', 'requestsPerSecond']]},
  {title: 'Refusals and errors', write: perSecond, of: 'both', lines: [['refused (4xx)', 'refusalsPerSecond'], ['server errors (5xx)', 'errorsPerSecond'], ['too many (429)', 'limitedPerSecond']]},
  {title: 'Answer times', write: millis, of: 'routes', lines: [['p50', 'p50Ms'], ['p99', 'p99Ms']]},
  {title: 'Votes, trades, tips', write: perSecond, lines: [['votes', 'votesPerSecond'], ['trades', 'tradesPerSecond'], ['tips', 'tipsPerSecond']]},
  {title: 'Changes waiting for the writer', write: counted, counts: true, lines: [['changes', 'queued']]},
  {title: 'Batches', write: perSecond, lines: [['batches', 'batchesPerSecond']]},
  {title: 'Changes in a batch', write: value => decimal(value, 1), lines: [['changes', 'changesPerBatch']]},
  {title: 'Size of the database', write: bytes, lines: [['on disk', 'databaseBytes']]},
  {title: 'Commit times', write: millis, lines: [['p50', 'commitP50Ms'], ['p99', 'commitP99Ms']]}
];

function drawingsOf(route: string, client: string): Drawing[] {
  if (client) return drawings.filter(each => each.of === 'both');
  return route ? drawings.filter(each => each.of) : drawings;
}

/** The address of the moment, with the same time around it as it is shown now. */
function linkToMoment(of: Span): (atMs: number) => string {
  return atMs => hrefWith({last: undefined, from: of.from, to: of.to, moment: Math.round(atMs)});
}

function Charts({data, of, moment}: {data: History; of: Span; moment: number | undefined}): JSX.Element {
  const [route, client] = [param('route'), param('client')];
  const made = useMemo(() => {
    const values = withGaps(data.values, data.stepMs);
    const series = drawingsOf(route, client).map((each): [Drawing, Series[]] => [each, each.lines.map(([label, name]) => ({label, values: values.map(value => value[name] ?? null)}))]);
    return {times: values.map(each => each.at / 1000), series, marks: data.marks.map(each => each.at / 1000)};
  }, [data, route, client]);
  return (
    <div class="columns charts">
      {made.series.map(([each, series]) => (
        <Chart key={each.title} title={each.title} write={each.write} counts={each.counts ?? false} at={made.times} series={series} marks={made.marks}
          moment={moment === undefined ? undefined : moment / 1000} linkTo={linkToMoment(of)} zoom={(from, to) => go(between(from * 1000, to * 1000))} />
      ))}
    </div>
  );
}

const kindNames: Record<SeriesMark['kind'], string> = {start: 'start', deployment: 'new version', stop: 'stop', act: 'act', alert: 'alert', alertOver: 'alert over'};

function Marks({of, data}: {of: Span; data: History}): JSX.Element {
  const link = linkToMoment(of);
  return (
    <Section title="What happened" lead="Starts, stops, acts and alerts of this time: the dashed lines of the charts.">
      <DataTable caption="What happened, newest first" file="marks" sortName="marks" rows={[...data.marks].reverse().map((each, i) => ({...each, i}))} id={each => each.i} empty={<Empty what="Nothing was noted in this time." />}
        columns={[
          {head: 'When (UTC)', cell: each => <a href={link(each.at)}><Time at={each.at} /></a>, by: each => each.at},
          {head: 'What', cell: each => <Badge tone={each.kind === 'alert' ? 'bad' : each.kind === 'alertOver' ? 'good' : 'off'}>{kindNames[each.kind]}</Badge>, by: each => kindNames[each.kind]},
          {head: 'Which', cell: each => each.text}
        ]} />
    </Section>
  );
}

function Totals({title, kind, rows}: {title: string; kind: 'route' | 'client'; rows: SeriesTotal[]}): JSX.Element {
  return (
    <Section title={title} lead={kind === 'route' ? 'Of each step the twelve busiest are kept.' : 'By the header X-Service-Client; of each step the eight busiest are kept.'}>
      <DataTable caption={`${title}, the busiest first`} file={`history-${kind}s`} sortName={`${kind}s`} rows={rows} id={each => each.name} empty={<Empty what="Nobody asked anything in this time." />}
        columns={[
          {head: kind === 'route' ? 'Route' : 'Client', cell: each => <a href={hrefWith({route: undefined, client: undefined, [kind]: each.name})}><Name of={each.name} /></a>, by: each => each.name},
          {head: 'Requests', as: 'n', cell: each => <Fixed width={8}>{whole(each.requests)}</Fixed>, by: each => each.requests},
          {head: 'Refused (4xx)', as: 'n', cell: each => whole(each.refusals), by: each => each.refusals},
          {head: 'Failed (5xx)', as: 'n', cell: each => whole(each.errors), by: each => each.errors},
          kind === 'route'
            ? {head: 'p99 at most', as: 'n', cell: each => millis(each.p99Ms), by: each => each.p99Ms}
            : {head: 'Too many (429)', as: 'n', cell: each => (each.limited > 0 ? <Badge tone="warn">{whole(each.limited)}</Badge> : '0'), by: each => each.limited}
        ]} />
    </Section>
  );
}

/** What a moment had, and where else to look. */
function Moment({at: ms, data}: {at: number; data: History}): JSX.Element {
  const here = data.values.find(each => each.at <= ms && ms < each.at + data.stepMs) ?? null;
  const around = {from: utc(new Date(ms - minute)), to: utc(new Date(ms + minute))};
  const lines = drawingsOf(param('route'), param('client')).flatMap(each => each.lines.map(([label, name]): [string, string] => {
    const value = here?.[name] ?? null;
    return [each.lines.length > 1 ? `${each.title}: ${label}` : each.title, value === null ? '–' : each.write(value)];
  }));
  const half = Math.ceil(lines.length / 2);
  return (
    <Section title={`At ${utc(new Date(ms))}`} lead={`UTC; of the ${seconds(data.stepMs / 1000)} from then on.`} actions={<a class="button small" href={hrefWith({moment: undefined})}>Close</a>}>
      {here ? <div class="panel columns"><Pairs of={lines.slice(0, half)} /><Pairs of={lines.slice(half)} /></div> : <Empty what="The server was away.">Nothing was counted in this moment.</Empty>}
      <p class="row wide">
        <a href={href(['logs'], around)}>The log around it</a>
        <a href={href(['logs'], {...around, level: 'warn'})}>Its warnings and errors</a>
        <a href={href(['audit'], around)}>The audit around it</a>
        <a href={hrefWith({last: undefined, from: ms - minute / 2, to: ms + minute / 2, moment: ms})}>This minute alone, with its routes and clients</a>
        {data.stepMs > 1000 && <a href={hrefWith({last: undefined, from: ms - 5 * minute, to: ms + 5 * minute, moment: ms})}>Ten minutes around it</a>}
      </p>
    </Section>
  );
}

function Filters({data}: {data: History | null}): JSX.Element {
  const [route, client] = [param('route'), param('client')];
  const named = (all: SeriesTotal[] | undefined, chosen: string, none: string): Array<[string, string]> => {
    const names = (all ?? []).map(each => each.name);
    return [['', none], ...(chosen && !names.includes(chosen) ? [chosen, ...names] : names).map((each): [string, string] => [each, each])];
  };
  return (
    <div class="row wide end">
      <Select label="Route" value={route} options={named(data?.routes, route, 'all routes')} onChange={value => setQuery({route: value, client: undefined}, 'replace')} />
      <Select label="Client" value={client} options={named(data?.clients, client, 'all clients')} onChange={value => setQuery({client: value, route: undefined}, 'replace')} />
    </div>
  );
}

export function HistoryPage(): JSX.Element {
  const of = span();
  const [route, client] = [param('route'), param('client')];
  const {data, error, reload} = useResource<History>(at(['overview', 'history'], {from: of.from, to: of.to, route: client ? '' : route, client}));
  const found = data.value;
  const moment = Number(param('moment')) || undefined;
  return (
    <Page title="History" lead="The last hour by second, the last fortnight by minute. Drag over a chart to look closer; click into it for a moment and its address. Times are UTC.">
      <Ranges of={of} moment={moment} />
      <div class="row wide end"><GoTo /><Filters data={found} /></div>
      {error.value && <Failed error={error.value} retry={reload} />}
      {found && (
        <>
          {moment !== undefined && <Moment at={moment} data={found} />}
          <Section title={`${utc(new Date(of.from))} to ${utc(new Date(of.to))}`} lead={`A value for each ${seconds(found.stepMs / 1000)}.`} actions={<Take name="history" rows={() => ({rows: found.values, complete: true})} />}>
            {found.values.length > 0 ? <Charts data={found} of={of} moment={moment} /> : <Empty what="Nothing was counted in this time.">The server was away, or it is more than a fortnight ago.</Empty>}
          </Section>
          <Marks of={of} data={found} />
          {!route && !client && <><Totals title="Routes" kind="route" rows={found.routes} /><Totals title="Clients" kind="client" rows={found.clients} /></>}
          <p class="quiet small">All that is kept takes {bytes(found.keptBytes)} and does not grow. {found.outlivesRestarts ? 'It outlives restarts.' : 'It is in memory alone: data_dir has no room for it, or another server has the file.'}</p>
        </>
      )}
    </Page>
  );
}
