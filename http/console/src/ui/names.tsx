// Links to records by the names of what they are about. Names of people are asked for together: many rows of a list are one question.
import type {JSX} from 'preact';
import {useEffect} from 'preact/hooks';
import {signal} from '@preact/signals';
import type {Signal} from '@preact/signals';
import {at, publicAt, question, read} from '../lib/api';
import type {ProjectRow} from '../lib/contract';
import {href} from '../lib/router';

const askedAtOnce = 500;

type Names = Signal<ReadonlyMap<number, string>>;
const people: Names = signal(new Map());
const projects: Names = signal(new Map());
const wanted = new Set<number>(); // of people
const asked = new Set<number>(); // of projects

const add = (to: Names, more: Array<[number, string]>): void => { to.value = new Map([...to.value, ...more]); };

async function askForPeople(): Promise<void> {
  const ids = [...wanted].slice(0, askedAtOnce);
  for (const id of ids) wanted.delete(id);
  if (wanted.size > 0) void askForPeople();
  try {
    const found = await question<Array<{profileId: number | null; displayName: string; username: string | null}>>(publicAt(['users', 'by', 'profile-id']), {profileIds: ids});
    const named = new Map(found.map(each => [each.profileId, each.displayName || each.username || '']));
    add(people, ids.map(id => [id, named.get(id) ?? '']));
  } catch { /* their numbers stay */ }
}

function wantPerson(id: number): void {
  if (people.value.has(id) || wanted.has(id)) return;
  if (wanted.size === 0) queueMicrotask(() => void askForPeople());
  wanted.add(id);
}

async function wantProject(id: number): Promise<void> {
  if (asked.has(id)) return;
  asked.add(id);
  try {
    const {name, username} = await read<ProjectRow>(at(['projects', id]));
    add(projects, [[id, name || username]]);
  } catch {
    asked.delete(id); // its number stays
  }
}

/** Such as “Ada (7)”, once the name is known. */
export function Profile({id}: {id: number | null}): JSX.Element {
  useEffect(() => { if (id !== null) wantPerson(id); }, [id]);
  if (id === null) return <span class="quiet">–</span>;
  const name = people.value.get(id);
  return <a href={href(['records', 'people', id])}>{name ? `${name} (${id})` : `profile ${id}`}</a>;
}

/** The market on somebody, such as “market on Ada (7)”. */
export function Market({id}: {id: number}): JSX.Element {
  useEffect(() => wantPerson(id), [id]);
  const name = people.value.get(id);
  return <a href={href(['records', 'markets', id])}>market on {name ? `${name} (${id})` : `profile ${id}`}</a>;
}

/** Such as “Lanternswap (2)”, once the name is known. */
export function Project({id}: {id: number}): JSX.Element {
  useEffect(() => { void wantProject(id); }, [id]);
  const name = projects.value.get(id);
  return <a href={href(['records', 'projects', id])}>{name ? `${name} (${id})` : `project ${id}`}</a>;
}

/** What an entry of the audit is about, which is a link where the console has a page of it. */
export function Subject({of}: {of: string}): JSX.Element {
  const [, kind = '', number = ''] = /^(profile|market|project|slash|ring) (\d+)$/.exec(of) ?? [];
  const id = Number(number);
  switch (kind) {
    case 'profile': return <Profile id={id} />;
    case 'market': return <Market id={id} />;
    case 'project': return <Project id={id} />;
    case 'slash': return <a href={href(['records', 'slashes', id])}>{of}</a>;
    case 'ring': return <a href={href(['integrity', 'rings'], {ring: id})}>{of}</a>;
    default: return of ? <>{of}</> : <span class="quiet">–</span>;
  }
}
