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

async function find(text: string): Promise<Hit[]> {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return [{kind: 'log', name: 'lines with this hash', to: href(['logs'], {text})}];
  if (/^(profileId|address|service):/.test(text)) return tried(byUserkey(text));
  const all = [tried(people(text)), tried(projects(text)), tried(markets(text))];
  if (/^[1-9]\d{0,9}$/.test(text)) all.push(tried(slash(text)));
  const hits = (await Promise.all(all)).flat();
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
          {hits.length === 0 && <li class="quiet">Nothing is called so.</li>}
          {hits.map(each => <li key={each.to}><a href={each.to}>{each.name}</a> <span class="quiet">{each.kind}</span></li>)}
        </ul>
      )}
    </form>
  );
}
