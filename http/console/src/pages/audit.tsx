import type {JSX} from 'preact';
import {useSignal} from '@preact/signals';
import {useCallback, useEffect} from 'preact/hooks';
import {at} from '../lib/api';
import type {AuditEntry} from '../lib/contract';
import {useTopic} from '../lib/events';
import {words} from '../lib/format';
import {useResource} from '../lib/resource';
import {href, hrefWith, param} from '../lib/router';
import {everyPage} from '../lib/take';
import {Empty, Failed, Name, Page, Pairs, Section, Time} from '../ui/basics';
import {FilterText, TimeFilters, timeRange} from '../ui/fields';
import {Profile} from '../ui/profile';
import {CursorPager, DataTable} from '../ui/table';

const keptMax = 500;

function pretty(text: string | null): string {
  if (text === null) return 'nothing';
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The profile that asked; behind a link of the console it has none, but somebody. */
function Asker({of}: {of: AuditEntry}): JSX.Element {
  const [, by] = /^console session of (.+) \S+$/.exec(of.credential ?? '') ?? [];
  return of.callerId === null && by ? <>{by} (console)</> : <Profile id={of.callerId} />;
}

const shortMax = 60;
const isShort = (text: string | null): boolean => text === null || (text.length <= shortMax && !/^[[{]/.test(text));

/** What was acted on, and what became of it where that can be said shortly. */
function Subject({of}: {of: AuditEntry}): JSX.Element {
  const change = isShort(of.before) && isShort(of.after) ? [of.before, of.after].filter(Boolean).join(' → ') : '';
  if (!of.subject && !change) return <span class="quiet">–</span>;
  return <span class="long">{of.subject}{change && <span class="quiet">{of.subject && ': '}{change}</span>}</span>;
}

function Detail({of}: {of: AuditEntry}): JSX.Element {
  return (
    <Section title={`Entry ${of.number}: ${words(of.act)}`} actions={<a class="button small" href={hrefWith({entry: undefined})}>Close</a>}>
      <div class="panel">
        <Pairs of={[
          ['When', <><Time at={of.at} fraction /> UTC</>], ['Who asked', <Asker of={of} />], ['About', <Profile id={of.profileId} />],
          ['Subject', of.subject || '–'], ['Credential', of.credential ? <a href={href(['audit'], {credential: of.credential})}>{of.credential}</a> : '–'], ['From', of.address || '–'],
          ['Request', of.requestId ? <><code>{of.requestId}</code> <a href={href(['logs', 'request', of.requestId])}>all of it</a></> : '–']
        ]} />
      </div>
      <div class="columns">
        <div class="stack"><h3>Before</h3><pre class="code" tabIndex={0} role="group" aria-label="State before">{pretty(of.before)}</pre></div>
        <div class="stack"><h3>After</h3><pre class="code" tabIndex={0} role="group" aria-label="State after">{pretty(of.after)}</pre></div>
      </div>
    </Section>
  );
}

export function AuditPage(): JSX.Element {
  const filters = {profileId: param('profileId'), callerId: param('callerId'), act: param('act'), requestId: param('requestId'), credential: param('credential')};
  const range = timeRange();
  const {from, to} = range;
  const byTime = from !== null || to !== null;
  const cursor = param('cursor');
  const query = range.wrongFrom || range.wrongTo ? null : at(['audit'], {...filters, from, to, limit: 100, cursor});
  const page = useResource<{values: AuditEntry[]; next: string | null}>(query);
  const fresh = useSignal<AuditEntry[]>([]);
  const filtered = byTime || Object.values(filters).some(Boolean);

  const take = useCallback((data: unknown) => {
    const entry = data as AuditEntry;
    if (cursor || query === null) return;
    if ((from !== null && entry.at < from) || (to !== null && entry.at >= to)) return;
    if (filters.profileId && String(entry.profileId) !== filters.profileId) return;
    if (filters.callerId && String(entry.callerId) !== filters.callerId) return;
    if (filters.act && entry.act !== filters.act) return;
    if (filters.requestId && entry.requestId !== filters.requestId) return;
    if (filters.credential && entry.credential !== filters.credential) return;
    fresh.value = [entry, ...fresh.value].slice(0, keptMax);
  }, [query]);
  useTopic('audit', take, page.reload, page.reload);
  useEffect(() => {
    fresh.value = [];
  }, [query]);

  const byNumber = new Map<number, AuditEntry>();
  for (const each of [...(page.data.value?.values ?? []), ...fresh.value]) byNumber.set(each.number, each);
  const rows = [...byNumber.values()].sort((a, b) => (byTime ? b.at - a.at : 0) || b.number - a.number);
  const chosen = rows.find(each => String(each.number) === param('entry'));
  return (
    <Page title="Audit" lead="Who did what, newest first; new entries appear by themselves. Rows are chained by their hashes, so credence verify finds a changed one.">
      <div class="filters">
        <FilterText name="callerId" label="Asked by profile" placeholder="7" />
        <FilterText name="profileId" label="About profile" placeholder="12" />
        <FilterText name="act" label="Act" placeholder="key_revoked" />
        <FilterText name="requestId" label="Request" placeholder="its id" />
        <FilterText name="credential" label="Credential" placeholder="console session …" />
        <TimeFilters {...range} />
      </div>
      {page.error.value && <Failed error={page.error.value} retry={page.reload} />}
      {chosen && <Detail of={chosen} />}
      {page.data.value && (
        <Section title="Entries">
          <DataTable caption="Entries of the audit, newest first" file="audit" all={() => everyPage(['audit'], {...filters, from, to})} rows={rows} id={each => each.number}
            empty={filtered ? <Empty what="No entry matches.">Take filters out to see more.</Empty> : <Empty what="Nothing is recorded yet.">Sign-ins, keys, and what operators do are.</Empty>}
            columns={[
              {head: 'Number', as: 'n', cell: each => <a href={hrefWith({entry: each.number})}>{each.number}</a>},
              {head: 'When (UTC)', cell: each => <Time at={each.at} />},
              {head: 'Act', cell: each => <Name of={each.act} />},
              {head: 'Asked by', cell: each => <Asker of={each} />},
              {head: 'About', cell: each => <Profile id={each.profileId} />},
              {head: 'Subject', cell: each => <Subject of={each} />},
              {head: 'Credential', cell: each => (each.credential ? <span class="long">{each.credential}</span> : <span class="quiet">–</span>)},
              {head: 'From', cell: each => each.address || <span class="quiet">–</span>}
            ]} />
          <CursorPager next={page.data.value.next} />
        </Section>
      )}
    </Page>
  );
}
