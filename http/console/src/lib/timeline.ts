// Several lists, each newest first and in pages, as one: an entry is shown once no list can have one that came later.
import {ApiError} from './api';

export interface Entry<What> {
  /** Milliseconds since 1970. */
  at: number;
  id: string;
  what: What;
}

export interface Source<What> {
  name: string;
  /** A page, newest first, and where the next one begins; null: there is none. */
  page: (from: string) => Promise<{entries: Array<Entry<What>>; next: string | null}>;
}

export interface Read<What> {
  source: Source<What>;
  entries: Array<Entry<What>>;
  next: string | null;
  error: string;
}

/** Down to which moment everything has been read of these. */
function horizon<What>(of: Array<Read<What>>): number {
  return Math.max(-Infinity, ...of.filter(each => each.next !== null).map(each => each.entries[each.entries.length - 1]?.at ?? Infinity));
}

async function readOn<What>(of: Read<What>): Promise<Read<What>> {
  try {
    const page = await of.source.page(of.next ?? '');
    return {...of, entries: [...of.entries, ...page.entries], next: page.entries.length > 0 ? page.next : null, error: ''};
  } catch (why) {
    return {...of, next: null, error: ApiError.from(why).message};
  }
}

export function begin<What>(sources: Array<Source<What>>): Promise<Array<Read<What>>> {
  return Promise.all(sources.map(source => readOn({source, entries: [], next: '', error: ''})));
}

/** Reads the next pages of those that keep older entries from being shown. */
export function further<What>(of: Array<Read<What>>): Promise<Array<Read<What>>> {
  const until = horizon(of);
  return Promise.all(of.map(each => (each.next !== null && (each.entries[each.entries.length - 1]?.at ?? Infinity) >= until ? readOn(each) : each)));
}

export function merged<What>(of: Array<Read<What>>): {entries: Array<Entry<What>>; complete: boolean} {
  const until = horizon(of);
  const once = new Map(of.flatMap(each => each.entries).map(each => [each.id, each])); // lists may share entries: those of two addresses of one person
  const entries = [...once.values()].filter(each => each.at >= until).sort((a, b) => b.at - a.at || a.id.localeCompare(b.id));
  return {entries, complete: of.every(each => each.next === null)};
}
