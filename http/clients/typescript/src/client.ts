// The client: sends the calls of the reference (calls.ts), each of which has one effect however often it is sent, signs in with a wallet,
// and waits where the server asks it to.
import type {components, operations} from './api.js';
import {table} from './calls.js';
import type {Calls} from './calls.js';

export type {components} from './api.js';
export type {Calls} from './calls.js';

/** The name of a call: its `operationId` in the reference. */
export type Name = keyof Calls & keyof operations;
type Given<P> = [NonNullable<P>] extends [never] ? unknown : NonNullable<P>;
type Path<O> = O extends {parameters: {path: infer P}} ? Given<P> : unknown;
type Query<O> = O extends {parameters: {query?: infer P}} ? Given<P> : unknown;
type Body<O> = O extends {requestBody: {content: {'application/json': infer B}}} ? {body: B}
  : O extends {requestBody?: {content: {'application/json': infer B}}} ? {body?: B} : unknown;
/** What a call takes: the parameters of its path and query by their names, and `body`. */
export type Input<N extends Name> = Path<operations[N]> & Query<operations[N]> & Body<operations[N]>;
/** What it answers. */
export type Answer<N extends Name> = operations[N] extends {responses: {200: {content: {'application/json': infer A}}}} ? A : never;
type Tried = components['schemas']['Tried'];
type Done<A> = A extends Tried ? (Tried extends A ? never : A) : A;
type Words<I> = {} extends I ? [input?: I, how?: How] : [input: I, how?: How];
/** Sends a call; with `dryRun` the answer may be that of a dry run. */
export interface Call<N extends Name> {
  (...words: Words<Omit<Input<N>, 'dryRun'>>): Promise<Done<Answer<N>>>;
  (...words: Words<Input<N>>): Promise<Answer<N>>;
}
type Turns<I> = 'offset' extends keyof I ? true : I extends {body?: infer B} ? ('offset' extends keyof NonNullable<B> ? true : false) : false;
type RowOf<A> = A extends (infer R)[] ? R : A extends {values: (infer R)[]} ? R : {[K in keyof A]: A[K] extends (infer R)[] ? R : never}[keyof A];
/** A call whose answers are pages. */
export type Paged = {[N in Name]: Turns<Input<N>> extends true ? ([RowOf<Answer<N>>] extends [never] ? never : N) : never}[Name];
export type Row<N extends Paged> = RowOf<Answer<N>>;

/** Who signs: an account of viem is `{address, sign: message => account.signMessage({message})}`. */
export interface Wallet {
  address: string;
  sign(message: string): Promise<string>;
}

export interface Options {
  /** Where the server is, such as `https://credence.example`. */
  url: string;
  /** Who calls, `name@version`: operators see it, and it has a rate of its own. */
  client: string;
  apiKey?: string;
  /** An access token. */
  token?: string;
  /** Signs in where a call needs it and there is neither key nor token, and again once the token has ended. */
  wallet?: Wallet;
  /** What signed messages name, where that is not `url`. */
  origin?: string;
  /** The chain that signed messages name: 8453 unless the operator says otherwise. */
  chainId?: number;
  /** How long a call may take with all of its repeats, in milliseconds: 60,000. */
  patience?: number;
  /** How long one answer may take: 15,000. */
  timeout?: number;
  fetch?: typeof fetch;
}

export interface How {
  /** Names the act, so that it has one effect also where another process sends it again. Without it each call is an act of its own. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** The rows of a page: its `values`, the page itself where it is a list, or the only list in it. */
function rowsOf<R>(name: string, page: object): R[] {
  const lists = Array.isArray(page) ? [page] : 'values' in page ? [page.values] : Object.values(page).filter(Array.isArray);
  if (lists.length !== 1) throw new TypeError(`${name} answers ${lists.length} lists, not the pages of one`);
  return lists[0] as R[];
}

/** What the server said instead of an answer; status 0 and `NO_ANSWER` where it said nothing. */
export class CredenceError extends Error {
  override name = 'CredenceError';
  constructor(readonly status: number, readonly code: string, message: string,
    /** Names the act. After `NO_ANSWER` or 503 it may have had its effect: send the same with this key to know. */
    readonly idempotencyKey: string,
    /** What an operator finds it by. */
    readonly requestId: string | null = null,
    /** Every mistake of the request. */
    readonly issues: {message: string}[] = [],
    /** When to come again, in seconds. */
    readonly retryAfter: number | null = null) {
    super(`${status} ${code}: ${message}`);
  }
  /** Whether the same request may be answered later. */
  get passes(): boolean {
    return [0, 429, 502, 503, 504].includes(this.status) || this.code === 'IDEMPOTENCY_IN_PROGRESS';
  }
}

/** A name of its own for an act or a message. Neither modules of Node.js 18 nor pages without TLS have `crypto.randomUUID`. */
const unique = (): string => globalThis.crypto?.randomUUID?.().replaceAll('-', '')
  ?? Array.from({length: 4}, () => Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, '0')).join('');
const longest = 8_000; // between two repeats, where the server does not say
const sleep = (ms: number, signal?: AbortSignal): Promise<void> => new Promise((done, ended) => {
  const stop = (): void => { clearTimeout(timer); ended(signal?.reason); };
  const timer = setTimeout(() => { signal?.removeEventListener('abort', stop); done(); }, ms);
  signal?.addEventListener('abort', stop, {once: true});
});

export interface Credence extends Calls {}
export class Credence {
  readonly #options: Options;
  #token: string | undefined;
  #entering: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = {...options, url: options.url.replace(/\/+$/, '')};
    this.#token = options.token;
  }

  /** Every row of a list, page after page. */
  async *each<N extends Paged>(name: N, input: Input<N>): AsyncGenerator<Row<N>> {
    for (let offset = 0, total = 1; offset < total;) {
      const {body} = input as {body?: object};
      const page = await this.#send(name, table[name].verb === 'POST' ? {...input, body: {...body, offset}} : {...input, offset}, {}) as {total?: number};
      const rows = rowsOf<Row<N>>(name, page);
      if (rows.length === 0) return;
      yield* rows;
      offset += rows.length;
      total = page.total ?? Infinity;
    }
  }

  /** Signs in with the wallet. Calls that need it do so by themselves. */
  async authenticate(): Promise<void> {
    const enter = async (): Promise<void> => {
      const {nonce, address} = await this.getSignInNonce({address: this.#wallet.address});
      const message = this.#message(address, 'Sign in.', nonce);
      this.#token = (await this.signIn({body: {message, signature: await this.#wallet.sign(message)}})).accessToken;
    };
    this.#entering ??= enter().finally(() => { this.#entering = undefined; }); // once for all calls that wait for it
    return this.#entering;
  }

  /** Makes an API key of the wallet's profile, and goes on with it. Its token is in this answer alone. */
  async makeApiKey({expiresAt, ...about}: {name: string; expiresAt: Date; scopes?: ('read' | 'vote' | 'tip' | 'trade' | 'keys' | 'record')[]; allowedNetworks?: string[]}):
    Promise<Answer<'createApiKey'>> {
    const {address} = await this.getSignInNonce({address: this.#wallet.address}); // with its checksum
    const until = expiresAt.toISOString();
    const message = this.#message(address, `Make the API key ${about.name} until ${until}.`, unique());
    const made = await this.createApiKey({body: {...about, address: address ?? '', expiresAt: until, message, signature: await this.#wallet.sign(message)}});
    this.#options.apiKey = made.token;
    this.#token = undefined;
    return made;
  }

  get #wallet(): Wallet {
    if (!this.#options.wallet) throw new TypeError('this client has no wallet to sign with');
    return this.#options.wallet;
  }

  /** A message of EIP-4361 that is good for five minutes. */
  #message(address: string | undefined, statement: string, nonce: string): string {
    if (address?.toLowerCase() !== this.#wallet.address.toLowerCase() || !/^[0-9A-Za-z]{8,128}$/.test(nonce))
      throw new TypeError('nothing is signed: the server answered another address, or what is no nonce of EIP-4361');
    const {url, origin = new URL(url).origin, chainId = 8453} = this.#options;
    return `${new URL(origin).host} wants you to sign in with your Ethereum account:\n${address}\n\n${statement}\n\nURI: ${origin}\nVersion: 1\nChain ID: ${chainId}\n`
      + `Nonce: ${nonce}\nIssued At: ${new Date().toISOString()}\nExpiration Time: ${new Date(Date.now() + 300_000).toISOString()}`;
  }

  /** One act, sent until it is answered, refused, or patience ends. */
  async #send(name: Name, input: Record<string, unknown>, {idempotencyKey = unique(), signal}: How): Promise<unknown> {
    const {apiKey, wallet, patience = 60_000} = this.#options;
    const end = Date.now() + patience;
    let renewed = false;
    for (let pause = 250; ; pause = Math.min(2 * pause, longest)) {
      if (table[name].asks && wallet && !apiKey && !this.#token) await this.authenticate();
      const used = this.#token;
      const said = await this.#sendOnce(name, input, idempotencyKey, end - Date.now(), signal);
      if (!(said instanceof CredenceError)) return said;
      if (said.status === 401 && table[name].asks && wallet && !apiKey && !renewed) {
        renewed = true;
        if (this.#token === used) this.#token = undefined; // else another call has signed in meanwhile
        continue;
      }
      const wait = Math.max(pause * (0.5 + Math.random() / 2), 1000 * (said.retryAfter ?? 0)); // also where a proxy says 0
      if (!said.passes || Date.now() + wait >= end) throw said;
      await sleep(wait, signal);
    }
  }

  async #sendOnce(name: Name, input: Record<string, unknown>, key: string, rest: number, signal?: AbortSignal): Promise<unknown> {
    const {url, client, apiKey, timeout = 15_000, fetch: get = fetch} = this.#options;
    const {verb, path, once, joined = []} = table[name];
    const {body, ...parameters} = input;
    const query = new URLSearchParams();
    const filled = path.replace(/{(\w+)}/g, (_, name: string) => {
      const part = String(parameters[name]);
      if (/^\.{0,2}$/.test(part)) throw new TypeError(`${name} would lead to another call: '${part}'`);
      return encodeURIComponent(part);
    });
    for (const [each, value] of Object.entries(parameters)) {
      if (value === undefined || path.includes(`{${each}}`)) continue;
      if (Array.isArray(value) && !joined.includes(each)) for (const one of value) query.append(each, String(one));
      else query.append(each, String(value)); // a list by commas
    }
    const headers: Record<string, string> = {Accept: 'application/json', 'X-Service-Client': client};
    if (apiKey) headers['X-Service-Api-Key'] = apiKey;
    else if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    if (once) headers['Idempotency-Key'] = key;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const ends = AbortSignal.timeout(Math.max(1, Math.min(timeout, rest)));
    const stop = new AbortController();
    const ended = (): void => stop.abort(signal?.aborted ? signal.reason : ends.reason);
    for (const each of [ends, signal]) each?.addEventListener('abort', ended);
    if (signal?.aborted) throw signal.reason;
    try {
      const answer = await get(url + filled + (String(query) && `?${query}`), {
        method: verb, headers, signal: stop.signal, redirect: 'manual', // credentials are for one server
        ...(body !== undefined && {body: JSON.stringify(body)}),
      });
      const text = await answer.text();
      if (answer.ok) return JSON.parse(text);
      const after = Number(answer.headers.get('Retry-After') ?? NaN);
      const said = {code: 'NO_JSON', message: text.slice(0, 200), issues: undefined};
      try { Object.assign(said, JSON.parse(text)); } catch { /* what a proxy says */ }
      return new CredenceError(answer.status, said.code, said.message, key, answer.headers.get('X-Request-Id'), said.issues, Number.isFinite(after) ? after : null);
    } catch (why) {
      if (signal?.aborted) throw signal.reason;
      return new CredenceError(0, 'NO_ANSWER', why instanceof Error ? why.message : String(why), key);
    } finally {
      signal?.removeEventListener('abort', ended);
    }
  }

  static {
    for (const name of Object.keys(table) as Name[])
      Object.defineProperty(Credence.prototype, name, {
        value(this: Credence, input: Record<string, unknown> = {}, how: How = {}) { return this.#send(name, input, how); },
        configurable: true, writable: true,
      });
  }
}
