// Every view is a URL: the path and the query behind `#`, so that the page works under any path prefix.
import {computed, signal} from '@preact/signals';

export interface Place {
  path: string[];
  query: URLSearchParams;
}

function read(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#/, '').split('?', 2);
  return {path: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query)};
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const place = signal<Place>(read());
export const pageName = computed(() => place.value.path[0] ?? 'overview');

/** Takes the address as it is now. */
export function reread(): void {
  place.value = read();
}

window.addEventListener('hashchange', reread);

/** The link to a view: href(['actors', 'project', 7], {state: 'live'}). */
export function href(path: Array<string | number>, query: Record<string, string | number | undefined | null> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  const tail = search.toString();
  return `#/${path.map(part => encodeURIComponent(part)).join('/')}${tail ? `?${tail}` : ''}`;
}

export function go(to: string): void {
  location.hash = to;
}

/** Changes part of the query and stays on the page; `undefined` takes a name out. */
export function setQuery(change: Record<string, string | number | undefined | null>, how: 'push' | 'replace' = 'push'): void {
  const to = hrefWith(change);
  if (how === 'push') {
    location.hash = to;
    return;
  }
  history.replaceState(null, '', to);
  reread();
}

/** The same view with part of the query changed. */
export function hrefWith(change: Record<string, string | number | undefined | null>): string {
  return href(place.value.path, {...Object.fromEntries(place.value.query), ...change});
}

export function param(name: string): string {
  return place.value.query.get(name) ?? '';
}
