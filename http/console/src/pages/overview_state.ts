// The state of the server at a glance, which the frame shows beside every view; and the last five minutes of it.
import {computed, signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {ApiError} from '../lib/api';
import {now, serverTime} from '../lib/clock';
import type {Firing, History, Overview, Sample} from '../lib/contract';
import {connection} from '../lib/events';
import {useResource} from '../lib/resource';

export const overview = signal<Overview | null>(null);
/** What of a sample the newest state tells, too. */
export type Seen = Pick<Sample, 'at' | 'requestsPerSecond' | 'errorsPerSecond' | 'p50Ms' | 'p99Ms' | 'votesPerSecond' | 'tradesPerSecond' | 'tipsPerSecond' | 'queued'>;
export const samples = signal<Seen[]>([]);
const keptMs = 300_000;
const silentMs = 6_000; // a state comes every second
const gapMs = 5_000;

/** For how many seconds nothing has been heard of the server, where what is shown may not be true any more; else null. */
export const unheard = computed<number | null>(() => {
  if (!overview.value || connection.value === 'closed') return null;
  const age = now.value - overview.value.at;
  return connection.value === 'lost' || age > silentMs ? Math.max(0, Math.floor(age / 1000)) : null;
});

/** A moment of which nothing is known: a line ends before it. */
type Gap<Of> = {[key in Exclude<keyof Of, 'at'>]?: undefined} & {at: number};

/** The samples, with a gap where the server was not there to count. */
export function withGaps<Of extends {at: number}>(all: Of[], stepMs: number): Array<Of | Gap<Of>> {
  return all.flatMap((each, i) => {
    const before = all[i - 1];
    return before && each.at - before.at > Math.max(gapMs, 2 * stepMs) ? [{at: before.at + stepMs} as Gap<Of>, each] : [each];
  });
}
export const drawn = computed(() => withGaps(samples.value, 1000));

/** Takes a newer state, and its figures as the newest sample. */
export function takeOverview(next: Overview): void {
  serverTime(new Date(next.at));
  overview.value = next;
  const last = samples.value[samples.value.length - 1];
  if (samples.value.length === 0 || (last && next.at - last.at < 900)) return;
  const {traffic, activity, store} = next;
  if (traffic.requestsPerSecond === null) return; // it has just started
  addSamples([{
    at: next.at,
    requestsPerSecond: traffic.requestsPerSecond,
    errorsPerSecond: traffic.errorsPerSecond ?? 0,
    p50Ms: traffic.p50Ms,
    p99Ms: traffic.p99Ms,
    votesPerSecond: activity.votesPerSecond ?? 0,
    tradesPerSecond: activity.tradesPerSecond ?? 0,
    tipsPerSecond: activity.tipsPerSecond ?? 0,
    queued: store.queued
  }]);
}

/** Adds samples, in the order of time and without those older than five minutes. */
export function addSamples(more: Seen[]): void {
  const all = [...samples.value, ...more].sort((a, b) => a.at - b.at);
  const newest = all[all.length - 1]?.at ?? 0;
  samples.value = all.filter((each, i) => each.at > newest - keptMs && (i === 0 || each.at - (all[i - 1]?.at ?? 0) >= 500));
}

/** Reads the state and its last five minutes, for a view of them; the stream brings what comes after. */
export function useOverview(everySeconds = 0): {error: ApiError | null; reload: () => void} {
  const first = useResource<Overview>('overview', everySeconds);
  const history = useResource<History>('overview/history');
  useEffect(() => {
    if (first.data.value && (overview.value?.at ?? 0) < first.data.value.at) takeOverview(first.data.value);
  }, [first.data.value]);
  useEffect(() => {
    if (history.data.value) addSamples(history.data.value.values);
  }, [history.data.value]);
  return {error: first.error.value ?? history.error.value, reload: first.reload};
}

/** The urgent ones first, then the oldest. */
export function byUrgency(firing: Firing[]): Firing[] {
  return [...firing].sort((a, b) => (a.severity === b.severity ? a.since - b.since : a.severity === 'page' ? -1 : 1));
}
