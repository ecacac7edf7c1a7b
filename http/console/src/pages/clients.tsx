import type {JSX} from 'preact';
import {at, write} from '../lib/api';
import type {ApiKey, Budget, Clients, DeprecatedRoute} from '../lib/contract';
import {count, percent, whole} from '../lib/format';
import {useLive} from '../lib/live';
import {useResource} from '../lib/resource';
import {href, param, place} from '../lib/router';
import {can} from '../lib/session';
import {everyPage} from '../lib/take';
import {Badge, Button, Empty, Failed, Fixed, Name, Page, Section, Tabs, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {FilterText} from '../ui/fields';
import {Profile} from '../ui/profile';
import {CursorPager, DataTable} from '../ui/table';

function Share({of, all}: {of: number; all: number}): JSX.Element {
  return <>{whole(of)} <span class="quiet"><Fixed width={7}>{all > 0 ? percent(of / all) : '–'}</Fixed></span></>;
}

/** Leads to what the history has of it. */
function Caller({of}: {of: string}): JSX.Element {
  if (of === 'other') return <span class="quiet">all others</span>;
  return <a href={href(['history'], {client: of})}>{of === 'none' ? 'no name given' : <Name of={of} />}</a>;
}

function Use(): JSX.Element {
  const {data, error, reload} = useLive<Clients>('clients', 'clients');
  const clients = data.value;
  return (
    <Section title="Requests by client" lead={clients && <>By the header X-Service-Client, since <Time at={clients.since} /> UTC.</>}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {clients && (
        <DataTable caption="Requests by client" file="clients" rows={clients.values} id={each => each.client}
          empty={<Empty what="Nobody has called yet.">Clients name themselves with the header X-Service-Client.</Empty>}
          columns={[
            {head: 'Client', cell: each => <Caller of={each.client} />, by: each => each.client},
            {head: 'Requests', as: 'n', cell: each => <Fixed width={9}>{whole(each.requests)}</Fixed>, by: each => each.requests},
            {head: 'Refused (4xx)', as: 'n', cell: each => <Share of={each.clientErrors} all={each.requests} />, by: each => each.clientErrors},
            {head: 'Too many (429)', as: 'n', cell: each => <Share of={each.rateLimited} all={each.requests} />, by: each => each.rateLimited},
            {head: 'Failed (5xx)', as: 'n', cell: each => <Share of={each.serverErrors} all={each.requests} />, by: each => each.serverErrors},
            {head: 'Deprecated calls', as: 'n', cell: each => whole(each.deprecated), by: each => each.deprecated}
          ]} />
      )}
    </Section>
  );
}

function Deprecated(): JSX.Element {
  const {data, error, reload} = useResource<{values: DeprecatedRoute[]}>('clients/deprecated', 30);
  return (
    <Section title="Deprecated calls" lead="Who still calls routes that go away.">
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && (
        <DataTable caption="Deprecated calls" file="deprecated-calls" rows={data.value.values} id={each => each.route} sortName="routes"
          empty={<Empty what="No deprecated route has been called since the start.">Nobody needs to be told anything.</Empty>}
          columns={[
            {head: 'Route', cell: each => <Name of={each.route} />, by: each => each.route},
            {head: 'Requests', as: 'n', cell: each => whole(each.clients.reduce((sum, client) => sum + client.requests, 0)), by: each => each.clients.reduce((sum, client) => sum + client.requests, 0)},
            {head: 'By', cell: each => each.clients.map(client => `${client.client} (${whole(client.requests)})`).join(', ')}
          ]} />
      )}
    </Section>
  );
}

function Budgets(): JSX.Element {
  const {data, error, reload} = useResource<{values: Budget[]}>('clients/budgets', 10);
  return (
    <Section title="Budgets" lead="The rates of the settings http.rates, and how often callers went beyond them.">
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && (
        <DataTable caption="Budgets" file="budgets" rows={data.value.values} id={each => each.bucket} sortName="budgets" empty={<Empty what="No rate is set." />}
          columns={[
            {head: 'Budget', cell: each => <Name of={each.bucket} />},
            {head: 'Counts', cell: each => each.counts},
            {head: 'Rate', cell: each => (each.rate === '0' ? <span class="quiet">no bound</span> : <Name of={each.rate} />)},
            {head: 'Answered 429', as: 'n', cell: each => (each.refused > 0 ? <Badge tone="warn">{whole(each.refused)}</Badge> : '0'), by: each => each.refused}
          ]} />
      )}
    </Section>
  );
}

function revoke(key: ApiKey, done: () => void): void {
  ask({
    title: `Revoke the key “${key.name}”`,
    body: <p>Key <code>{key.id}</code> of profile {key.profileId} is refused from the moment of the answer. Whoever uses it needs a new one; this cannot be undone.</p>,
    verb: 'Revoke it',
    word: key.id,
    danger: true,
    run: async () => {
      await write('DELETE', at(['profiles', key.profileId, 'keys', key.id]));
      done();
      return `The key “${key.name}” is revoked.`;
    }
  });
}

function Keys(): JSX.Element {
  const profile = param('profile');
  const valid = /^\d*$/.test(profile);
  const {data, error, reload} = useResource<{values: ApiKey[]; next: string | null}>(valid ? at(['keys'], {profileId: profile, limit: 50, cursor: param('cursor')}) : null);
  const operator = can('operator');
  return (
    <Section title="API keys" lead="Keys in force, newest first.">
      <div class="filters"><FilterText name="profile" label="Of the profile with the id" placeholder="7" hint={valid ? undefined : 'An id is a number.'} /></div>
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && (
        <>
          <DataTable caption="API keys, newest first" file="keys" all={() => everyPage(['keys'], {profileId: profile})} rows={data.value.values} id={each => each.id}
            empty={profile
              ? <Empty what={`Profile ${profile} has no key in force.`}>Take the filter out to see all keys.</Empty>
              : <Empty what="There are no API keys in force.">A profile makes its own keys over the API, once <code>credence access ID</code> or its page under <a href={href(['records', 'people'])}>people</a> lets it.</Empty>}
            columns={[
              {head: 'Name', cell: each => each.name, by: each => each.name},
              {head: 'Id', cell: each => <Name of={each.id} />},
              {head: 'Profile', cell: each => <Profile id={each.profileId} />, by: each => each.profileId},
              {head: 'May', cell: each => (each.scopes === null ? 'everything' : each.scopes.join(', ') || 'nothing')},
              {head: 'From', cell: each => (each.networks.length > 0 ? <Name of={each.networks.join(', ')} /> : <span class="quiet">anywhere</span>)},
              {head: 'Made (UTC)', cell: each => <Time at={each.createdAt} />, by: each => each.createdAt},
              {head: 'Ends (UTC)', cell: each => <Time at={each.expiresAt} />, by: each => each.expiresAt},
              {head: 'Last used', cell: each => (each.lastUsedAt ? <Time at={each.lastUsedAt} age /> : <span class="quiet">never</span>), by: each => each.lastUsedAt},
              ...(operator ? [{head: 'Acts', cell: (each: ApiKey) => <Button small kind="danger" label={`Revoke ${each.name}, ${each.id}`} onClick={() => revoke(each, reload)}>Revoke…</Button>}] : [])
            ]} />
          <CursorPager next={data.value.next} />
          {!param('cursor') && !data.value.next && data.value.values.length > 0 && <p class="quiet small">{count(data.value.values.length, 'key')}.</p>}
        </>
      )}
    </Section>
  );
}

export function ClientsPage(): JSX.Element {
  const tab = place.value.path[1] ?? 'use';
  const to = (name: string, title: string): {to: string; name: string; current: boolean} => ({to: href(name === 'use' ? ['clients'] : ['clients', name]), name: title, current: tab === name});
  return (
    <Page title="Clients and keys" lead="Who calls, what they are refused, and with which keys.">
      <Tabs label="Clients and keys" of={[to('use', 'Use'), to('keys', 'Keys'), to('budgets', 'Budgets'), to('deprecated', 'Deprecated calls')]} />
      {tab === 'keys' ? <Keys /> : tab === 'budgets' ? <Budgets /> : tab === 'deprecated' ? <Deprecated /> : <Use />}
    </Page>
  );
}
