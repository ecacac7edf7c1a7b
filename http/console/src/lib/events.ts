// One event stream for the whole tab. Views say which topics they need; the stream is opened anew when these change, and goes on
// after the last event that came, also when the server was started again in between.
import {signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {api, ApiError, at, signedOut} from './api';
import {Splitter} from './sse';
import type {Message} from './sse';

export type Connection = 'closed' | 'connecting' | 'open' | 'lost';
export const connection = signal<Connection>('closed');
/** When the next try is due, while the connection is lost. */
export const nextTry = signal<number | null>(null);
/** Moves when the stream came back after a loss: what was read before may be old. */
export const revived = signal(0);

type Take = (data: unknown, topic: string) => void;
/** Hears a topic's events; `reset` is called when what lies between cannot be had. */
interface Listener {
  take: Take;
  reset?: () => void;
}

const listeners = new Map<string, Set<Listener>>();
/** The last data of each topic, for views that come later; not of those that send single lines. */
const latest = new Map<string, unknown>();
const single = new Set(['logs', 'audit']);
let lastId = '';
let stream: AbortController | null = null;
let opened = '';
let tries = 0;
let allowed = false;
let planned: ReturnType<typeof setTimeout> | undefined;
let asleep: ReturnType<typeof setTimeout> | undefined;

const firstPause = 500;
const longestPause = 10_000;
const silenceMax = 40_000; // a comment comes every 15 s
const asleepAfter = 60_000; // a tab that nobody looks at costs nothing

function topics(): string {
  return [...listeners.keys()].sort().join(',');
}

function plan(milliseconds: number): void {
  clearTimeout(planned);
  planned = setTimeout(open, milliseconds);
}

function hand(message: Message): void {
  if (message.id) lastId = message.id;
  let data: unknown;
  try {
    data = JSON.parse(message.data);
  } catch {
    return;
  }
  if (message.event === 'reset') {
    for (const topic of (data as {topics?: string[]}).topics ?? [...listeners.keys()]) listeners.get(topic)?.forEach(each => each.reset?.());
    return;
  }
  if (!single.has(message.event)) latest.set(message.event, data);
  listeners.get(message.event)?.forEach(each => each.take(data, message.event));
}

async function open(): Promise<void> {
  clearTimeout(planned);
  stream?.abort();
  const wanted = topics();
  if (!allowed || wanted === '') {
    opened = '';
    connection.value = 'closed';
    return;
  }
  const mine = new AbortController();
  stream = mine;
  opened = wanted;
  nextTry.value = null;
  const lost = connection.value === 'lost';
  if (!lost) connection.value = 'connecting';
  try {
    const answer = await fetch(new URL(at(['events'], {topics: wanted}).replaceAll('%2C', ','), api), {
      headers: {Accept: 'text/event-stream', ...(lastId ? {'Last-Event-ID': lastId} : {})},
      credentials: 'same-origin', cache: 'no-store', signal: mine.signal
    });
    if (answer.status === 401) {
      allowed = false;
      connection.value = 'closed';
      signedOut.value += 1;
      return;
    }
    if (!answer.ok || !answer.body) throw new ApiError(answer.status, 'The event stream was refused', '');
    connection.value = 'open';
    tries = 0;
    if (lost) revived.value += 1;
    await readAll(answer.body, mine);
  } catch {
    // Whatever ended it: the stream is opened again below.
  }
  if (stream !== mine) return;
  connection.value = 'lost';
  const pause = Math.min(longestPause, firstPause * 2 ** tries) * (0.75 + Math.random() / 2);
  tries += 1;
  nextTry.value = Date.now() + pause;
  plan(pause);
}

async function readAll(body: ReadableStream<Uint8Array>, mine: AbortController): Promise<void> {
  const reader = body.getReader();
  const splitter = new Splitter(hand);
  const decoder = new TextDecoder();
  let heard = Date.now();
  const silence = setInterval(() => {
    if (Date.now() - heard > silenceMax) void reader.cancel();
  }, 5000);
  try {
    while (!mine.signal.aborted) {
      const {done, value} = await reader.read();
      if (done || mine.signal.aborted) return;
      heard = Date.now();
      splitter.add(decoder.decode(value, {stream: true}));
    }
  } finally {
    clearInterval(silence);
  }
}

/** Begins once somebody is signed in, and ends with the session. */
export function setLive(on: boolean): void {
  if (on === allowed) return;
  allowed = on;
  if (!on) {
    lastId = '';
    latest.clear();
  }
  plan(0);
}

export function tryNow(): void {
  tries = 0;
  plan(0);
}

function subscribe(topic: string, listener: Listener): () => void {
  const of = listeners.get(topic) ?? new Set();
  listeners.set(topic, of.add(listener));
  if (latest.has(topic) && opened.split(',').includes(topic)) listener.take(latest.get(topic), topic);
  if (!opened.split(',').includes(topic)) plan(20);
  return () => {
    of.delete(listener);
    if (of.size > 0) return;
    listeners.delete(topic);
    latest.delete(topic);
    plan(250); // the next view may want the same
  };
}

/** Hears a topic while the view is shown; `null` hears nothing. */
export function useTopic(topic: string | null, take: Take, reset?: () => void): void {
  useEffect(() => (topic === null ? undefined : subscribe(topic, {take, reset})), [topic, take, reset]);
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(asleep);
  if (document.hidden) {
    asleep = setTimeout(() => {
      stream?.abort();
      stream = null;
      opened = '';
      clearTimeout(planned);
      connection.value = 'closed';
    }, asleepAfter);
  } else if (opened === '' || connection.value === 'lost') {
    tryNow();
  }
});
window.addEventListener('online', tryNow);
