// One field for everything: it looks as one types, and leads to what it finds.
import type {JSX} from 'preact';
import {useSignal} from '@preact/signals';
import {useEffect, useId, useRef} from 'preact/hooks';
import {at, publicAt, read} from '../lib/api';
import type {Clients, MarketRow, PersonRow, ProjectRow} from '../lib/contract';
import {go, href, place} from '../lib/router';

interface Hit {
  kind: string;
  name: string;
  to: string;
}

/** Pages, with the words by which somebody looks for what they do, and the section that has it. */
const pages: Array<[string, string[], string, string?]> = [
  ['Overview', ['overview'], 'overview what is wrong alerts conditions ready health'],
  ['History', ['history'], 'history charts past errors 5xx answer times latency requests night yesterday deployments'],
  ['Voting periods', ['periods'], 'voting periods advance close open next month'],
  ['Actors', ['actors'], 'actors memory busiest load stop reload'],
  ['Store: pause and resume writes', ['store'], 'store intake pause resume stop writes writer', 'intake'],
  ['Store: backup, verification', ['store'], 'last backup verify verification check archived', 'backups-and-checks'],
  ['Store: slow statements, locks, sizes', ['store'], 'slow statements sql queries locks connections database postgresql size tables', 'slow-statements'],
  ['Clients', ['clients'], 'clients who calls requests refused 429 too many rate limited errors'],
  ['API keys', ['clients', 'keys'], 'api keys revoke'],
  ['Budgets', ['clients', 'budgets'], 'budgets rates limits 429'],
  ['Deprecated calls', ['clients', 'deprecated'], 'deprecated calls routes'],
  ['Chain', ['chain'], 'chain blocks events failed contracts transactions'],
  ['Stored rings', ['integrity', 'rings'], 'rings groups marked acted on honest stored'],
  ['Integrity', ['integrity'], 'integrity analysis votes together bursts rings'],
  ['Logs', ['logs'], 'logs lines errors level debug requests'],
  ['Audit', ['audit'], 'audit who did what acts of an admin operator yesterday'],
  ['People', ['records', 'people'], 'people persons profiles users accounts invited invitations sessions keys score archive restore'],
  ['Projects', ['records', 'projects'], 'projects who voted votes archive restore'],
  ['Markets', ['records', 'markets'], 'markets trades holders prices frozen'],
  ['Slashes', ['records', 'slashes'], 'slashes accusations cancel'],
  ['Who is in', ['sessions'], 'who is in open sessions of operators admins sign out end'],
  ['Settings', ['settings'], 'settings configuration restart'],
  ['API reference', ['reference'], 'api reference calls curl scripts'],
  ['Manual', ['manual'], 'manual docs help runbook']
];
const pagesShown = 3;
const shownOfEach = 4;
const pause = 250;

/** What is not there, or not to be had, is not found. */
async function tried(hits: Promise<Hit[]>): Promise<Hit[]> {
  try {
    return await hits;
  } catch {
    return [];
  }
}

const ofPerson = (id: number, name: string): Hit => ({kind: `person ${id}`, name, to: href(['records', 'people', id])});

async function people(text: string): Promise<Hit[]> {
  const {values} = await read<{values: PersonRow[]}>(at(['people'], {query: text, limit: shownOfEach}));
  return values.filter(each => each.profileId).map(each => ofPerson(each.profileId as number, each.displayName || each.username || `profile ${each.profileId}`));
}
async function byUserkey(text: string): Promise<Hit[]> {
  const who = await read<{user?: {profileId?: number | null; displayName?: string}; profileId?: number | null; displayName?: string}>(publicAt(['internal', 'users', text]));
  const user = who.user ?? who;
  return user.profileId ? [ofPerson(user.profileId, user.displayName || `profile ${user.profileId}`)] : [];
}
async function projects(text: string): Promise<Hit[]> {
  const {values} = await read<{values: ProjectRow[]}>(at(['projects'], {query: text, limit: shownOfEach}));
  return values.map(each => ({kind: `project ${each.projectId}`, name: each.name || each.username, to: href(['records', 'projects', each.projectId])}));
}
async function markets(text: string): Promise<Hit[]> {
  const {values} = await read<{values: MarketRow[]}>(at(['markets'], {query: text, limit: shownOfEach}));
  return values.map(each => ({kind: `market ${each.profileId}`, name: each.name || `on profile ${each.profileId}`, to: href(['records', 'markets', each.profileId])}));
}
async function slash(text: string): Promise<Hit[]> {
  const {id} = await read<{id: number}>(publicAt(['slashes', text]));
  return [{kind: 'slash', name: `slash ${id}`, to: href(['records', 'slashes', id])}];
}

/** Callers by their header X-Service-Client, since the start of the server. */
async function clients(text: string): Promise<Hit[]> {
  if (text.length < 3) return [];
  const {values} = await read<Clients>('clients');
  const typed = text.toLowerCase();
  return values.filter(each => each.client.toLowerCase().startsWith(typed)).slice(0, shownOfEach).map(each => ({kind: 'client', name: each.client, to: href(['history'], {client: each.client})}));
}

/** What is called by its kind and number, such as `project 7`. */
async function byNumber(kind: string, id: string): Promise<Hit[]> {
  if (kind === 'slash') return slash(id);
  if (kind === 'ring') return [{kind: 'stored', name: `ring ${id}`, to: href(['integrity', 'rings'], {ring: id})}];
  const found = kind === 'project' ? await projects(id) : kind === 'market' ? await markets(id) : await people(id);
  return found.filter(each => each.to.endsWith(`/${id}`));
}

/** The userkeys that somebody may mean by the number of an account, or by the address of its page. */
function userkeysOf(text: string): string[] {
  const page = /^(?:https?:\/\/)?(?:www\.)?(?:x|twitter)\.com\/(\w+)/i.exec(text);
  if (page) return [`service:x.com:username:${page[1]}`];
  return /^\d{11,20}$/.test(text) ? ['x.com', 'discord'].map(service => `service:${service}:${text}`) : [];
}

/** The record that a transaction of the chain made or changed, which is shown among those of its author. */
async function madeBy(hash: string, type: string, only: string): Promise<Hit[]> {
  const {author} = await read<{author: {profileId?: number | null; name?: string} | null}>(publicAt(['activities', type, 'tx', hash]));
  return author?.profileId ? [{kind: 'transaction', name: `${type} of ${author.name || `profile ${author.profileId}`}`, to: href(['records', 'people', author.profileId], {only})}] : [];
}

/** Those whose words begin with each of what is typed. */
function pagesFor(text: string): Hit[] {
  const typed = text.toLowerCase().split(/\s+/);
  if (text.length < 3) return [];
  const fits = (words: string): boolean => typed.every(each => words.split(' ').some(word => word.startsWith(each)));
  return pages.filter(([name, , words]) => fits(`${name.toLowerCase()} ${words}`)).slice(0, pagesShown).map(([name, path, , part]) => ({kind: 'page', name, to: href(path, {part})}));
}

async function find(text: string): Promise<Hit[]> {
  if (/^0x[0-9a-f]{64}$/i.test(text)) {
    const found = await Promise.all([['review', 'reviews'], ['vouch', 'vouches'], ['reply', 'replies']].map(([type, only]) => tried(madeBy(text, type as string, only as string))));
    return [...found.flat(), {kind: 'log', name: 'lines with this hash', to: href(['logs'], {text})}];
  }
  if (/^(profileId|address|service):/.test(text)) return tried(byUserkey(text));
  const numbered = /^(person|profile|project|market|slash|ring)\s*#?([1-9]\d{0,9})$/i.exec(text);
  if (numbered) return tried(byNumber((numbered[1] as string).toLowerCase(), numbered[2] as string));
  const keys = userkeysOf(text);
  if (keys.length > 0) return (await Promise.all(keys.map(each => tried(byUserkey(each))))).flat();
  const all = [tried(people(text)), tried(projects(text)), tried(markets(text)), tried(clients(text))];
  if (/^[1-9]\d{0,9}$/.test(text)) all.push(tried(slash(text)));
  const hits = [...(await Promise.all(all)).flat(), ...pagesFor(text)];
  return /^(?!0x)[\w-]{8,64}$/.test(text) && /\d/.test(text) ? [...hits, {kind: 'request', name: text, to: href(['logs', 'request', text])}] : hits;
}

export function Search(): JSX.Element {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const typed = useSignal('');
  const found = useSignal<Hit[] | null>(null);
  const text = typed.value.trim().replace(/^#/, '');
  const address = place.value;
  useEffect(() => {
    typed.value = '';
    found.value = null;
  }, [address]);
  useEffect(() => {
    let old = false;
    if (text.length === 0) {
      found.value = null;
      return undefined;
    }
    const timer = setTimeout(() => void find(text).then(hits => { if (!old) found.value = hits; }), pause);
    return () => {
      old = true;
      clearTimeout(timer);
    };
  }, [text]);
  const submit = (event: Event): void => {
    event.preventDefault();
    const [first] = found.value ?? [];
    if (first) go(first.to);
  };
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    typed.value = '';
    field.current?.focus();
  };
  const hits = found.value;
  return (
    <form class="search" role="search" onSubmit={submit} onKeyDown={escape}>
      <label class="unseen" for={id}>Search for anything</label>
      <input ref={field} id={id} class="input" type="search" autoComplete="off" spellcheck={false} placeholder="Search for anything" value={typed.value} onInput={event => { typed.value = event.currentTarget.value; }} />
      <span class="unseen" role="status">{hits ? `${hits.length} found` : ''}</span>
      {hits && (
        <ul class="found">
          {hits.length === 0 && <li class="quiet">Nothing was found. Try part of a name, a number such as project 7, an address, a userkey, or what you want to do.</li>}
          {hits.map(each => <li key={`${each.to} ${each.name}`}><a href={each.to}>{each.name}</a> <span class="quiet">{each.kind}</span></li>)}
        </ul>
      )}
    </form>
  );
}
