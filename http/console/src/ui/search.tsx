// One field for everything: it looks as one types, and leads to what it finds.
import type {JSX} from 'preact';
import {useSignal} from '@preact/signals';
import {useEffect, useId, useRef} from 'preact/hooks';
import {at, publicAt, read} from '../lib/api';
import type {MarketRow, PersonRow, ProjectRow} from '../lib/contract';
import {go, href, place} from '../lib/router';

interface Hit {
  kind: string;
  name: string;
  to: string;
}

/** Pages, with the words by which somebody looks for what they do. */
const pages: Array<[string, string[], string]> = [
  ['Overview', ['overview'], 'overview what is wrong alerts conditions ready health'],
  ['History', ['history'], 'history charts past errors 5xx answer times latency requests night yesterday deployments'],
  ['Voting periods', ['periods'], 'voting periods advance close open next month'],
  ['Actors', ['actors'], 'actors memory busiest load stop reload'],
  ['Store: pause and resume writes', ['store'], 'store intake pause resume stop writes writer'],
  ['Store: backup, verification', ['store'], 'last backup verify verification check archived'],
  ['Store: slow statements, locks, sizes', ['store'], 'slow statements sql queries locks connections database postgresql size tables'],
  ['Clients', ['clients'], 'clients who calls requests refused 429 too many rate limited errors'],
  ['API keys', ['clients', 'keys'], 'api keys revoke'],
  ['Budgets', ['clients', 'budgets'], 'budgets rates limits 429'],
  ['Deprecated calls', ['clients', 'deprecated'], 'deprecated calls routes'],
  ['Chain', ['chain'], 'chain blocks events failed contracts transactions'],
  ['Stored rings', ['integrity', 'rings'], 'rings groups marked acted on honest stored'],
  ['Integrity', ['integrity'], 'integrity analysis votes together bursts rings'],
  ['Logs', ['logs'], 'logs lines errors level debug requests'],
  ['Audit', ['audit'], 'audit who did what acts of an admin operator yesterday'],
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

const ofPerson = (id: number, name: string): Hit => ({kind: 'person', name, to: href(['records', 'people', id])});

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
  return values.map(each => ({kind: 'project', name: each.name || each.username, to: href(['records', 'projects', each.projectId])}));
}
async function markets(text: string): Promise<Hit[]> {
  const {values} = await read<{values: MarketRow[]}>(at(['markets'], {query: text, limit: shownOfEach}));
  return values.map(each => ({kind: 'market', name: each.name || `on profile ${each.profileId}`, to: href(['records', 'markets', each.profileId])}));
}
async function slash(text: string): Promise<Hit[]> {
  const {id} = await read<{id: number}>(publicAt(['slashes', text]));
  return [{kind: 'slash', name: `slash ${id}`, to: href(['records', 'slashes', id])}];
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
  return pages.filter(([name, , words]) => fits(`${name.toLowerCase()} ${words}`)).slice(0, pagesShown).map(([name, path]) => ({kind: 'page', name, to: href(path)}));
}

async function find(text: string): Promise<Hit[]> {
  if (/^0x[0-9a-f]{64}$/i.test(text)) {
    const found = await Promise.all([['review', 'reviews'], ['vouch', 'vouches'], ['reply', 'replies']].map(([type, only]) => tried(madeBy(text, type as string, only as string))));
    return [...found.flat(), {kind: 'log', name: 'lines with this hash', to: href(['logs'], {text})}];
  }
  if (/^(profileId|address|service):/.test(text)) return tried(byUserkey(text));
  const all = [tried(people(text)), tried(projects(text)), tried(markets(text))];
  if (/^[1-9]\d{0,9}$/.test(text)) all.push(tried(slash(text)));
  const hits = [...(await Promise.all(all)).flat(), ...pagesFor(text)];
  return /^[\w-]{8,64}$/.test(text) && /\d/.test(text) ? [...hits, {kind: 'request', name: text, to: href(['logs', 'request', text])}] : hits;
}

export function Search(): JSX.Element {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const typed = useSignal('');
  const found = useSignal<Hit[] | null>(null);
  const text = typed.value.trim();
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
          {hits.length === 0 && <li class="quiet">Nothing matches.</li>}
          {hits.map(each => <li key={`${each.to} ${each.name}`}><a href={each.to}>{each.name}</a> <span class="quiet">{each.kind}</span></li>)}
        </ul>
      )}
    </form>
  );
}
