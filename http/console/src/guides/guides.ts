// The guides at /docs/guides: pages of docs/guides, one of which the address names: #first-bot, or #first-bot/make-a-key.
import {shown} from '../lib/markdown';
import type {Reading} from '../lib/markdown';

const index = 'README';
const at = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

function place(): {guide: string; anchor: string} {
  const [guide = '', anchor = ''] = decodeURIComponent(location.hash.slice(1)).split('/', 2);
  return {guide: guide || index, anchor};
}

/** Guides are views of this page; the pages of the API's resources are the reference, and other files are not here. */
function readingOf(guide: string): Reading {
  return {
    idOf: anchor => anchor,
    linkTo: target => {
      const [, name, anchor] = /^(?:([\w-]+)\.md)?(?:#(.+))?$/.exec(target) ?? [];
      if (name !== undefined || anchor !== undefined) return `#${name ?? guide}${anchor ? `/${anchor}` : ''}`;
      if (target.startsWith('../api/')) return '../docs';
      return /^https?:/.test(target) ? target : null;
    }
  };
}

const texts = new Map<string, Promise<string>>();
function textOf(guide: string): Promise<string> {
  const read = async (): Promise<string> => {
    const answer = await fetch(`guides/${encodeURIComponent(guide)}`, {headers: {Accept: 'text/markdown'}});
    if (!answer.ok) throw new Error(answer.status === 404 ? `There is no guide named “${guide}”.` : `The guide could not be read: the server answered with ${answer.status}.`);
    return answer.text();
  };
  const found = texts.get(guide) ?? read();
  texts.set(guide, found);
  found.catch(() => texts.delete(guide));
  return found;
}

/** The guides in the order of their table. */
async function list(): Promise<void> {
  const host = document.createElement('div');
  host.innerHTML = shown(await textOf(index), readingOf(index)).html;
  const links = [...host.querySelectorAll('td a')].filter(link => link.getAttribute('href')?.startsWith('#'));
  at('list').replaceChildren(...links.map(link => {
    const item = document.createElement('li');
    item.append(link);
    return item;
  }));
}

function mark(): void {
  for (const link of at('list').querySelectorAll('a')) {
    if (link.hash.split('/')[0] === `#${place().guide}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

/** Copies the text of an example; where the page may not (it came by http), it is selected, and copied as a reader would. */
async function copy(example: HTMLElement, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(example.textContent ?? '');
  } catch {
    getSelection()?.selectAllChildren(example);
    document.execCommand('copy');
  }
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy'; }, 2000);
}
function addCopies(): void {
  for (const example of at('main').querySelectorAll<HTMLElement>('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copy(example, button));
    example.before(button);
  }
}

let now = '';
async function show(focus: boolean): Promise<void> {
  const {guide, anchor} = place();
  const main = at('main');
  mark();
  if (guide !== now) {
    try {
      const {html, headings} = shown(await textOf(guide), readingOf(guide));
      if (place().guide !== guide) return; // another one was chosen meanwhile
      main.innerHTML = html;
      addCopies();
      document.title = `${headings[0]?.text ?? 'Guides'} · Credence`;
      now = guide;
    } catch (why) {
      const said = document.createElement('p');
      said.className = 'gone';
      said.textContent = why instanceof Error ? why.message : String(why);
      main.replaceChildren(said);
      now = '';
    }
  }
  const section = anchor ? document.getElementById(anchor) : null;
  if (section) section.scrollIntoView();
  else scrollTo(0, 0);
  if (focus) (section ?? main).focus({preventScroll: true});
}

function begin(): void {
  let theme: string | null = null;
  try {
    theme = localStorage.getItem('theme'); // as the reference keeps it
  } catch { /* there is none then */ }
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
  addEventListener('hashchange', () => void show(true));
  void list().then(mark, () => undefined);
  void show(false);
}
begin();
