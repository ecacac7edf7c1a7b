import type {JSX} from 'preact';
import {sentence} from '../lib/api';
import {now} from '../lib/clock';
import type {Firing, Overview, Part, Period} from '../lib/contract';
import {count, decimal, millis, periodLength, rate, seconds, whole} from '../lib/format';
import {href} from '../lib/router';
import {can} from '../lib/session';
import {Badge, Button, Empty, Failed, Fixed, Note, Page, Pairs, Section, Stats, Time} from '../ui/basics';
import {Chart} from '../ui/chart';
import {byUrgency, drawn, overview, unheard, useOverview} from './overview_state';
import {resumeIntake} from './store';

function When({of}: {of: Firing}): JSX.Element {
  if (!of.fires) return <span>Its alert waits until it has lasted {seconds(of.firesAfterSeconds)}</span>;
  return <span>{of.severity === 'page' ? 'Urgent' : 'For the next working day'}</span>;
}

function Conditions({firing, done}: {firing: Firing[]; done: () => void}): JSX.Element {
  const silent = unheard.value;
  if (firing.length === 0 && silent !== null) return <Note tone="off"><p>No condition was known {seconds(silent)} ago. Whether anything needs to be done now is not known.</p></Note>;
  if (firing.length === 0) return <Note tone="good"><p>No condition holds. Nothing needs to be done.</p></Note>;
  return (
    <ul class="stack">
      {byUrgency(firing).map(each => (
        <li key={each.name}>
          <Note tone={each.severity === 'page' && each.fires ? 'bad' : 'warn'} title={sentence(each.summary)}>
            {each.detail && <p><strong>{each.detail}</strong></p>}
            <p>{each.action}</p>
            {each.name === 'CredenceRingsUnmarked' && <p><a class="button" href={href(['integrity', 'rings'], {mark: 'open'})}>Look at them</a></p>}
            {each.name === 'CredenceWritesPaused' && can('operator') && <p><Button kind="primary" onClick={() => resumeIntake(done)}>Resume…</Button></p>}
            <p class="quiet small row wide">
              <When of={each} />
              <span>since <Time at={each.since} age /></span>
              <span>alert <code>{each.name}</code></span>
              <a href={href(['manual', each.docs.replace(/^.*#/, '')])}>More in the manual</a>
            </p>
          </Note>
        </li>
      ))}
    </ul>
  );
}

function Readiness({parts}: {parts: Part[]}): JSX.Element {
  return (
    <div class="panel">
      <dl class="pairs">
        {parts.map(part => [
          <dt key={`${part.name}-`}><Badge tone={part.ready ? 'good' : 'bad'}><span>{part.name.replaceAll('_', ' ')}{part.ready ? '' : ' is not ready'}</span></Badge></dt>,
          <dd key={part.name} class="quiet">{part.meaning}</dd>
        ])}
      </dl>
    </div>
  );
}

function Countdown({period}: {period: Period}): JSX.Element {
  const left = (period.endsAt - now.value) / 1000;
  return <span class="num">{left > 0 ? seconds(left) : `over since ${seconds(-left)}`}</span>;
}

function PeriodNow({period}: {period: Period | null}): JSX.Element {
  if (!period) return <Empty what="No voting period is open.">An admin opens the next one under <a href={href(['periods'])}>voting periods</a>.</Empty>;
  return (
    <div class="panel">
      <Pairs of={[
        ['Open period', <a href={href(['periods'])}>{period.year}/{period.number}</a>],
        ['Ends in', <Countdown period={period} />],
        ['Planned end', <><Time at={period.endsAt} /> UTC</>],
        ['Began', <><Time at={period.startsAt} /> UTC</>],
        ['Planned for', periodLength(period.startsAt, period.endsAt)],
        ['When it opened', `${count(period.liveProfiles, 'live profile')}, ${count(period.activeProjects, 'active project')}`]
      ]} />
    </div>
  );
}

function figures(state: Overview): Parameters<typeof Stats>[0]['of'] {
  const {traffic, activity, store} = state;
  return [
    {label: 'Requests', value: <Fixed width={6}>{rate(traffic.requestsPerSecond)}</Fixed>, unit: '/s', note: <>{whole(traffic.inFlight)} in flight</>},
    {label: 'Server errors', value: <Fixed width={5}>{rate(traffic.errorsPerSecond)}</Fixed>, unit: '/s', note: <>{rate(traffic.refusalsPerSecond)}/s refused</>},
    {label: 'Answer time p50', value: <Fixed width={8}>{millis(traffic.p50Ms)}</Fixed>, note: 'half are faster'},
    {label: 'Answer time p99', value: <Fixed width={8}>{millis(traffic.p99Ms)}</Fixed>, note: '99 of 100 are'},
    {label: 'Connections', value: <Fixed width={5}>{whole(traffic.connections)}</Fixed>},
    {label: 'Votes', value: <Fixed width={6}>{rate(activity.votesPerSecond)}</Fixed>, unit: '/s', note: <>{whole(activity.votesTotal)} since the start</>},
    {label: 'Trades', value: <Fixed width={5}>{rate(activity.tradesPerSecond)}</Fixed>, unit: '/s'},
    {label: 'Tips', value: <Fixed width={5}>{rate(activity.tipsPerSecond)}</Fixed>, unit: '/s'},
    {label: 'Wait for the writer', value: <Fixed width={5}>{whole(store.queued)}</Fixed>, note: store.intakeOpen ? 'changes' : 'intake is paused'},
    {label: 'Changes in a batch', value: <Fixed width={5}>{decimal(store.changesPerBatch, 1)}</Fixed>, note: <>{rate(store.batchesPerSecond)} batches/s</>},
    {label: 'A flush takes', value: <Fixed width={8}>{millis(store.flushP50Ms)}</Fixed>, note: <>p99 {millis(store.flushP99Ms)}</>},
    {label: 'Database confirmed', value: <Fixed width={8}>{millis(store.leaseAgeMs)}</Fixed>, note: <>ago; clock {store.clockGood ? 'good' : 'wrong'}</>}
  ];
}

const aroundMs = 300_000;

/** The address of a moment in the history. */
const momentOf = (at: number): string => href(['history'], {from: Math.round(at - aroundMs), to: Math.round(Math.min(at + aroundMs, now.value)), moment: Math.round(at)});

export function Charts({height, linkTo}: {height?: number; linkTo?: (atMs: number) => string}): JSX.Element {
  const of = drawn.value;
  const at = of.map(each => each.at / 1000);
  const values = (name: 'requestsPerSecond' | 'errorsPerSecond' | 'p50Ms' | 'p99Ms' | 'votesPerSecond' | 'tradesPerSecond' | 'tipsPerSecond' | 'queued'): Array<number | null> =>
    of.map(each => each[name] ?? null);
  const perSecond = (value: number): string => `${rate(value)}/s`;
  return (
    <div class="columns charts">
      <Chart title="Requests" height={height} linkTo={linkTo} write={perSecond} at={at} series={[
        {label: 'all', values: values('requestsPerSecond')}, {label: 'server errors', values: values('errorsPerSecond')}]} />
      <Chart title="Answer times" height={height} linkTo={linkTo} write={millis} at={at} series={[
        {label: 'p50', values: values('p50Ms')}, {label: 'p99', values: values('p99Ms')}]} />
      <Chart title="Votes, trades, tips" height={height} linkTo={linkTo} write={perSecond} at={at} series={[
        {label: 'votes', values: values('votesPerSecond')}, {label: 'trades', values: values('tradesPerSecond')}, {label: 'tips', values: values('tipsPerSecond')}]} />
      <Chart title="Changes waiting for the writer" height={height} linkTo={linkTo} counts write={value => whole(Math.round(value))} at={at} series={[{label: 'changes', values: values('queued')}]} />
    </div>
  );
}

export function State({ready}: {ready: boolean}): JSX.Element {
  if (unheard.value !== null) return <Badge tone="off">Last known {seconds(unheard.value)} ago</Badge>;
  return <Badge tone={ready ? 'good' : 'bad'}>{ready ? 'Ready' : 'Not ready'}</Badge>;
}

export function OverviewPage(): JSX.Element {
  const {error, reload} = useOverview();
  const state = overview.value;
  return (
    <Page title="Overview" actions={state && <State ready={state.ready} />}>
      {error && !state && <Failed error={error} retry={reload} />}
      {state && (
        <>
          <Section title="What needs doing"><Conditions firing={state.firing} done={reload} /></Section>
          <Section title="Now" lead="Rates and times are of the last ten seconds."><Stats label="Figures of the last ten seconds" of={figures(state)} /></Section>
          <Section title="The last five minutes" lead={<>Times are UTC. A click leads to the moment in the <a href={href(['history'])}>history</a>, which has the last fortnight.</>}><Charts linkTo={momentOf} /></Section>
          <div class="columns">
            <Section title="Voting period"><PeriodNow period={state.period} /></Section>
            <Section title="Parts"><Readiness parts={state.parts} /></Section>
          </div>
          <p class="quiet small">Version {state.server.version}, started <Time at={state.server.startedAt} /> UTC, <Time at={state.server.startedAt} age />.</p>
        </>
      )}
    </Page>
  );
}
