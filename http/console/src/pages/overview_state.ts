// The state of the server at a glance, which the frame shows beside every view; and the last five minutes of it.
import {signal} from '@preact/signals';
import {serverTime} from '../lib/clock';
import type {Overview, Sample} from '../lib/contract';

export const overview = signal<Overview | null>(null);
export const samples = signal<Sample[]>([]);
const keptMs = 300_000;

/** Takes a newer state, and its figures as the newest sample. */
export function takeOverview(next: Overview): void {
  serverTime(new Date(next.at));
  overview.value = next;
  const last = samples.value[samples.value.length - 1];
  if (samples.value.length === 0 || (last && next.at - last.at < 900)) return;
  const {traffic, activity, store} = next;
  addSamples([{
    at: next.at,
    requestsPerSecond: traffic.requestsPerSecond,
    errorsPerSecond: traffic.errorsPerSecond,
    p50Ms: traffic.p50Ms,
    p99Ms: traffic.p99Ms,
    votesPerSecond: activity.votesPerSecond,
    tradesPerSecond: activity.tradesPerSecond,
    tipsPerSecond: activity.tipsPerSecond,
    queued: store.queued
  }]);
}

/** Adds samples, in the order of time and without those older than five minutes. */
export function addSamples(more: Sample[]): void {
  const all = [...samples.value, ...more].sort((a, b) => a.at - b.at);
  const newest = all[all.length - 1]?.at ?? 0;
  samples.value = all.filter((each, i) => each.at > newest - keptMs && (i === 0 || each.at - (all[i - 1]?.at ?? 0) >= 500));
}
