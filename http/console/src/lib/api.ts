// Calls of /admin/api/v1, relative to the page. Every refusal becomes an ApiError with words for people.
import {signal} from '@preact/signals';
import {serverTime} from './clock';

export const api = new URL('admin/api/v1/', document.baseURI);

/** The token that every write carries; it comes with the session. */
export const csrf = signal('');
/** Raised when the server says that nobody is signed in. */
export const signedOut = signal(0);

const titles: Record<number, string> = {
  400: 'The server did not understand this',
  401: 'You are not signed in',
  403: 'Your role does not allow this',
  404: 'This is not there',
  409: 'Something else was faster',
  413: 'This is too long',
  421: 'The server does not answer to this host name',
  422: 'This cannot be done as it was asked',
  429: 'Too many requests',
  500: 'The server made a mistake',
  502: 'The server cannot be reached',
  503: 'The server cannot do this just now',
  504: 'The answer did not come in time'
};

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    message: string,
    readonly code = '',
    readonly requestId = ''
  ) {
    super(message);
  }

  static from(why: unknown): ApiError {
    if (why instanceof ApiError) return why;
    if (why instanceof TypeError) return new ApiError(0, 'The server cannot be reached', 'Nothing answered. The page tries again by itself once the server is back.');
    return new ApiError(0, 'The page made a mistake', why instanceof Error ? why.message : String(why));
  }
}

/** Begins with a capital letter and ends with a full stop. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function detail(body: unknown, status: number, retryAfter: string | null): {message: string; code: string} {
  const record = (body ?? {}) as Record<string, unknown>;
  const inner = (typeof record.error === 'object' && record.error ? record.error : record) as Record<string, unknown>;
  const message = typeof inner.message === 'string' ? inner.message : `The server answered with ${status} and without a word.`;
  const told: unknown[] = Array.isArray(inner.issues) ? inner.issues.map(each => (each as {message?: unknown} | null)?.message) : [];
  const issues = told.filter((each): each is string => typeof each === 'string' && each !== message); // the first is the message
  const wait = retryAfter && /^\d+$/.test(retryAfter) ? ` Try again in ${retryAfter}\u00a0s.` : '';
  const said = [message, ...issues].map(sentence).join(' ') + wait;
  return {message: said, code: typeof inner.code === 'string' ? inner.code : ''};
}

/** For a write that must have one effect, however often its button is pressed. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

/** JSON, or Markdown as it is; null for anything else. */
function valueOf(text: string, type: string): unknown {
  if (type.startsWith('text/markdown')) return text;
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

async function send(method: string, path: string, body: unknown, signal?: AbortSignal, key?: string): Promise<unknown> {
  const headers: Record<string, string> = {Accept: 'application/json, text/markdown'};
  if (key) headers['Idempotency-Key'] = key;
  if (method !== 'GET' && csrf.value) headers['X-CSRF-Token'] = csrf.value;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const answer = await fetch(new URL(path, api), {
    method, headers, credentials: 'same-origin', cache: 'no-store', redirect: 'error', signal,
    body: body === undefined ? undefined : JSON.stringify(body)
  });
  const date = answer.headers.get('Date');
  if (date && Math.abs(new Date(date).getTime() - Date.now()) > 2000) serverTime(new Date(date));
  const text = await answer.text();
  const value = valueOf(text, answer.headers.get('Content-Type') ?? '');
  if (answer.ok) return value;
  const {message, code} = detail(value, answer.status, answer.headers.get('Retry-After'));
  if (answer.status === 401) signedOut.value += 1;
  throw new ApiError(answer.status, titles[answer.status] ?? 'The server refused', message, code, answer.headers.get('X-Request-Id') ?? '');
}

/** How many reads are under way. */
export const reading = signal(0);

/** `actors/project/7` or `audit?limit=50`, relative to /admin/api/v1/. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  reading.value += 1;
  try {
    return (await send('GET', path, undefined, signal)) as T;
  } finally {
    reading.value -= 1;
  }
}

export async function write<T = unknown>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown, key?: string): Promise<T> {
  return (await send(method, path, body, undefined, key)) as T;
}

/** A path with its parts escaped and a query of what is not empty. */
export function at(parts: Array<string | number>, query: Record<string, string | number | boolean | undefined | null> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  const tail = search.toString();
  return parts.map(part => encodeURIComponent(part)).join('/') + (tail ? `?${tail}` : '');
}

/** Open reads of the public API, which the admin listener answers as well. */
const publicApi = '../../../api/v2/';

export function publicAt(parts: Array<string | number>, query: Parameters<typeof at>[1] = {}): string {
  return publicApi + at(parts, query);
}

/** A POST that only asks. */
export async function question<T>(path: string, body: unknown): Promise<T> {
  reading.value += 1;
  try {
    return await write<T>('POST', path, body);
  } finally {
    reading.value -= 1;
  }
}
