import {render} from 'preact';
import type {JSX} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import './styles/tokens.css';
import './styles/layout.css';
import './styles/parts.css';
import './styles/print.css';
import {useTopic} from './lib/events';
import type {Overview} from './lib/contract';
import {pageName, place} from './lib/router';
import {begin, known, session} from './lib/session';
import {Confirmation} from './ui/dialog';
import {groups, Shell} from './ui/shell';
import {Toasts} from './ui/toasts';
import {Empty, Page} from './ui/basics';
import {takeOverview} from './pages/overview_state';
import {OverviewPage} from './pages/overview';
import {HistoryPage} from './pages/history';
import {PeriodsPage} from './pages/periods';
import {ActorsPage} from './pages/actors';
import {StorePage} from './pages/store';
import {ClientsPage} from './pages/clients';
import {RecordsPage} from './pages/records';
import {IntegrityPage} from './pages/integrity';
import {ChainPage} from './pages/chain';
import {LogsPage} from './pages/logs';
import {AuditPage} from './pages/audit';
import {ReferencePage} from './pages/reference';
import {SessionsPage} from './pages/sessions';
import {SettingsPage} from './pages/settings';
import {ManualPage} from './pages/manual';
import {SignInPage} from './pages/sign_in';
import {WallPage} from './pages/wall';

const pages: Record<string, () => JSX.Element> = {
  overview: OverviewPage,
  history: HistoryPage,
  periods: PeriodsPage,
  actors: ActorsPage,
  store: StorePage,
  clients: ClientsPage,
  records: RecordsPage,
  integrity: IntegrityPage,
  chain: ChainPage,
  logs: LogsPage,
  audit: AuditPage,
  sessions: SessionsPage,
  reference: ReferencePage,
  settings: SettingsPage,
  manual: ManualPage
};

const takeState = (data: unknown): void => takeOverview(data as Overview);

function Nowhere(): JSX.Element {
  return (
    <Page title="No such page">
      <Empty what={`The console has no page called “${pageName.value}”.`}>Choose one in the menu, or go to the <a href="#/overview">overview</a>.</Empty>
    </Page>
  );
}

function Signed(): JSX.Element {
  const wall = pageName.value === 'wall' || session.value?.role === 'wall'; // it has no menu, and its role sees nothing else
  const name = wall ? 'wall' : pageName.value;
  const path = place.value.path.join('/');
  const shown = useRef(path);
  useTopic('overview', takeState);
  useEffect(() => {
    const title = groups.flat().find(each => each.name === name)?.title ?? 'Console';
    document.title = `${place.value.path.slice(1).join(' ')}${place.value.path.length > 1 ? ' · ' : ''}${title} · Credence`;
    if (shown.current === path) return;
    shown.current = path;
    if (name === 'manual' && path !== name) return; // the page goes to its section by itself
    window.scrollTo(0, 0);
    document.querySelector<HTMLElement>('h1')?.focus({preventScroll: true});
  }, [name, path]);
  if (wall) return <WallPage />;
  const View = pages[name] ?? Nowhere;
  return <Shell><View key={name} /></Shell>;
}

function App(): JSX.Element {
  return (
    <>
      {!known.value ? <p class="unseen" role="status">Loading</p> : session.value ? <Signed /> : <SignInPage />}
      <Confirmation />
      <Toasts />
    </>
  );
}

const host = document.getElementById('app');
if (host) {
  render(<App />, host);
  void begin();
}
