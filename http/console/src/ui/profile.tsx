// Links to people by their names, which are asked for together: many rows of a list are one question.
import type {JSX} from 'preact';
import {useEffect} from 'preact/hooks';
import {signal} from '@preact/signals';
import {publicAt, question} from '../lib/api';
import {href} from '../lib/router';

const askedAtOnce = 500;

const names = signal<ReadonlyMap<number, string>>(new Map());
const wanted = new Set<number>();

async function askForNames(): Promise<void> {
  const ids = [...wanted].slice(0, askedAtOnce);
  for (const id of ids) wanted.delete(id);
  if (wanted.size > 0) void askForNames();
  try {
    const found = await question<Array<{profileId: number | null; displayName: string; username: string | null}>>(publicAt(['users', 'by', 'profile-id']), {profileIds: ids});
    const named = new Map(found.map(each => [each.profileId, each.displayName || each.username || '']));
    names.value = new Map([...names.value, ...ids.map((id): [number, string] => [id, named.get(id) ?? ''])]);
  } catch { /* their numbers stay */ }
}

function want(id: number): void {
  if (names.value.has(id) || wanted.has(id)) return;
  if (wanted.size === 0) queueMicrotask(() => void askForNames());
  wanted.add(id);
}

/** Such as “Ada (7)”, once the name is known. */
export function Profile({id}: {id: number | null}): JSX.Element {
  useEffect(() => { if (id !== null) want(id); }, [id]);
  if (id === null) return <span class="quiet">–</span>;
  const name = names.value.get(id);
  return <a href={href(['records', 'people', id])}>{name ? `${name} (${id})` : `profile ${id}`}</a>;
}
