// The overview for a screen on the wall: read from across the room, without a menu, and for weeks without a hand on it.
import type {JSX} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {reading, sentence} from '../lib/api';
import {now} from '../lib/clock';
import type {Firing, Overview} from '../lib/contract';
import {millis, rate, seconds, utc, whole} from '../lib/format';
import {href} from '../lib/router';
import {can} from '../lib/session';
import {Badge, Failed, Note, Stats} from '../ui/basics';
import {CopyLink} from '../ui/copy';
import {LostStrip, ThemeSwitch, Who} from '../ui/shell';
import {Charts, State} from './overview';
import {byUrgency, overview, unheard, useOverview} from './overview_state';

const readEvery = 60; // seconds; the stream is quicker, and may be away

function Todo({firing}: {firing: Firing[]}): JSX.Element {
  const silent = unheard.value;
  if (firing.length === 0 && silent !== null) return <p class="todo"><Badge tone="off">Not known: nothing was heard for {seconds(silent)}</Badge></p>;
  if (firing.length === 0) return <p class="todo"><Badge tone="good">Nothing needs to be done</Badge></p>;
  return (
    <ul class="stack">
      {byUrgency(firing).map(each => (
        <li key={each.name}>
          <Note tone={each.severity === 'page' && each.fires ? 'bad' : 'warn'}>
            <p class="todo">{sentence(each.summary)}</p>
            {each.detail && <p>{each.detail}</p>}
            <p class="quiet">for {seconds((now.value - each.since) / 1000)}</p>
          </Note>
        </li>
      ))}
    </ul>
  );
}

function figures({traffic, activity, store}: Overview): Parameters<typeof Stats>[0]['of'] {
  return [
    {label: 'Requests', value: rate(traffic.requestsPerSecond), unit: '/s'},
    {label: 'Server errors', value: rate(traffic.errorsPerSecond), unit: '/s', tone: (traffic.errorsPerSecond ?? 0) > 0 ? 'bad' : undefined},
    {label: 'Answer time p50', value: millis(traffic.p50Ms)},
    {label: 'Answer time p99', value: millis(traffic.p99Ms)},
    {label: 'Votes', value: rate(activity.votesPerSecond), unit: '/s'},
    {label: 'Wait for the writer', value: whole(store.queued), note: store.intakeOpen ? 'changes' : 'intake is paused'}
  ];
}

/** A new version of the server has a new page, which nobody is there to load. */
function useReloadOnUpgrade(version: string | undefined): void {
  const first = useRef(version);
  useEffect(() => {
    first.current ??= version;
    if (version !== undefined && version !== first.current) location.reload();
  }, [version]);
}

export function WallPage(): JSX.Element {
  const {error, reload} = useOverview(readEvery);
  const state = overview.value;
  useReloadOnUpgrade(state?.server.version);
  return (
    <main class="main wall" id="main" tabIndex={-1} data-reading={reading.value} data-silent={unheard.value !== null ? 'yes' : 'no'}>
      <LostStrip />
      <header class="page-head">
        <h1 tabIndex={-1}>Credence</h1>
        {state && <State ready={state.ready} />}
        <span class="num quiet">{utc(new Date(now.value)).slice(11, 16)} UTC</span>
        {can('viewer') && <a href={href(['overview'])}>Overview</a>}
        <CopyLink />
      </header>
      <div class="page">
        {error && !state && <Failed error={error} retry={reload} />}
        {state && (
          <>
            <section class="stack" aria-labelledby="todo"><h2 class="unseen" id="todo">What needs doing</h2><Todo firing={state.firing} /></section>
            <Stats label="Figures of the last ten seconds" of={figures(state)} />
            <section aria-labelledby="charts"><h2 class="unseen" id="charts">The last five minutes</h2><Charts height={180} /></section>
          </>
        )}
        <footer class="row wide small"><Who /><ThemeSwitch /></footer>
      </div>
    </main>
  );
}
