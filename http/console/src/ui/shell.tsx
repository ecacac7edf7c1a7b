// The frame around every view: where one can go, who is signed in, and whether what is shown is still true.
import type {ComponentChildren, JSX} from 'preact';
import {useSignal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {now} from '../lib/clock';
import {connection, nextTry, tryNow} from '../lib/events';
import {href, pageName, place} from '../lib/router';
import {session, signOut} from '../lib/session';
import {choice, choose} from '../lib/theme';
import type {Choice} from '../lib/theme';
import {overview, unheard} from '../pages/overview_state';
import {seconds} from '../lib/format';
import {ApiError, reading} from '../lib/api';
import {Badge, Button} from './basics';
import {Search} from './search';
import {say} from './toasts';

export interface Entry {
  name: string;
  title: string;
}

export const groups: Entry[][] = [
  [{name: 'overview', title: 'Overview'}, {name: 'history', title: 'History'}, {name: 'wall', title: 'Wall'}, {name: 'periods', title: 'Voting periods'}],
  [{name: 'actors', title: 'Actors'}, {name: 'store', title: 'Store'}, {name: 'clients', title: 'Clients and keys'}, {name: 'chain', title: 'Chain'}],
  [{name: 'records', title: 'Records'}, {name: 'integrity', title: 'Integrity'}],
  [{name: 'logs', title: 'Logs'}, {name: 'audit', title: 'Audit'}, {name: 'sessions', title: 'Who is in'}],
  [{name: 'reference', title: 'API reference'}, {name: 'settings', title: 'Settings'}, {name: 'manual', title: 'Manual'}]
];

function Nav(): JSX.Element {
  const silent = unheard.value !== null;
  const firing = silent ? [] : overview.value?.firing ?? [];
  const ready = silent || (overview.value?.ready ?? true);
  return (
    <nav class="nav" aria-label="Pages of the console">
      {groups.map((group, i) => (
        <div class="nav nav-group" key={i}>
          {group.map(({name, title}) => (
            <a key={name} href={href([name])} aria-current={pageName.value === name ? 'page' : undefined}>
              <span>{title}</span>
              {name === 'overview' && silent && <Badge tone="off">not known</Badge>}
              {name === 'overview' && !ready && <Badge tone="bad">not ready</Badge>}
              {name === 'overview' && ready && firing.length > 0 && (
                <Badge tone={firing.some(each => each.severity === 'page' && each.fires) ? 'bad' : 'warn'}>{firing.length} to see to</Badge>
              )}
            </a>
          ))}
        </div>
      ))}
    </nav>
  );
}

function ConnectionState(): JSX.Element {
  switch (connection.value) {
    case 'open': return <Badge tone="good">Live</Badge>;
    case 'connecting': return <Badge tone="off">Connecting</Badge>;
    case 'lost': return <Badge tone="bad">Not connected</Badge>;
    default: return <Badge tone="off">Paused</Badge>;
  }
}

export function LostStrip(): JSX.Element | null {
  // Said once a loss has lasted: a stream that comes back at once is no news.
  const shown = useSignal(false);
  const silent = unheard.value;
  const lost = connection.value === 'lost' || silent !== null;
  useEffect(() => {
    if (!lost) {
      if (shown.value) say('Connected again. What was missed has been read.');
      shown.value = false;
      return undefined;
    }
    const timer = setTimeout(() => { shown.value = true; }, 800);
    return () => clearTimeout(timer);
  }, [lost]);
  if (!shown.value) return null;
  void now.value;
  const wait = nextTry.value === null ? 0 : Math.max(0, Math.ceil((nextTry.value - Date.now()) / 1000));
  return (
    <div class="strip row wide" role="status">
      <span>The server does not answer. This page shows what was {silent === null ? 'true before' : `last known ${seconds(silent)} ago`}, and goes on by itself.</span>
      <span class="num" aria-hidden="true">{wait > 0 ? `Next try in ${wait}\u00a0s` : 'Trying now'}</span>
      <Button small onClick={tryNow}>Try now</Button>
    </div>
  );
}

export function Who(): JSX.Element | null {
  const who = session.value;
  if (!who) return null;
  const leave = (): void => void signOut().catch(why => say(`You are still signed in: ${ApiError.from(why).message}`, true));
  return (
    <>
      <div class="row"><span title={`Signed in by ${who.by}`}>{who.name}</span><span class="quiet">{who.role}</span></div>
      <div class="row"><ConnectionState /><Button small kind="plain" onClick={leave}>Sign out</Button></div>
    </>
  );
}

export function ThemeSwitch(): JSX.Element {
  return (
    <label class="row">
      <span class="quiet">Colours</span>
      <select class="input small" onChange={event => choose(event.currentTarget.value as Choice)}>
        {(['system', 'dark', 'light'] as const).map(name => <option key={name} value={name} selected={choice.value === name}>{name === 'system' ? 'As the system' : name === 'dark' ? 'Dark' : 'Light'}</option>)}
      </select>
    </label>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

export function Shell({children}: {children: ComponentChildren}): JSX.Element {
  const menu = useSignal(false);
  const path = place.value.path.join('/');
  useEffect(() => {
    menu.value = false;
  }, [path]);
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>Skip to the content</a>
      <div class="frame">
        <header class="side" data-open={menu.value ? 'yes' : 'no'}>
          <div class="brand">
            <a href={href(['overview'])}>Credence</a>
            <button type="button" class="button small menu-button" aria-expanded={menu.value} onClick={() => { menu.value = !menu.value; }}>Menu</button>
          </div>
          <Search />
          <Nav />
          <div class="side-foot"><Who /><ThemeSwitch /></div>
        </header>
        <main class="main" id="main" tabIndex={-1} data-reading={reading.value} data-silent={unheard.value !== null ? 'yes' : 'no'}>
          <LostStrip />
          {children}
        </main>
      </div>
    </>
  );
}
