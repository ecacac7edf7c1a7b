import type {ComponentChildren, JSX} from 'preact';
import {useState} from 'preact/hooks';
import {ApiError, at, newKey, publicAt, write} from '../lib/api';
import type {EndAccessOrder, EndedAccess, GrantOrder, HumanOrder, MergeOrder, Person, PersonRow} from '../lib/contract';
import {count, ether, whole, words} from '../lib/format';
import {useResource} from '../lib/resource';
import {href, hrefWith, param} from '../lib/router';
import {can, session} from '../lib/session';
import {bestMatches} from '../lib/take';
import {Badge, Button, Empty, Failed, Page, Pairs, Section, Stats, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {FilterText, Text} from '../ui/fields';
import {DataTable} from '../ui/table';
import {say} from '../ui/toasts';
import {Timeline} from './timeline';

/** By name, which leads to the person where there is a profile. */
function Person({of}: {of: PersonRow}): JSX.Element {
  const name = of.displayName || of.username || (of.profileId ? `profile ${of.profileId}` : '–');
  return of.profileId ? <a href={href(['records', 'people', of.profileId])}>{name}</a> : <>{name}</>;
}

interface Known {
  user: {humanVerificationStatus: string | null};
  inviterUser: {profileId: number | null; displayName: string} | null;
  attestations: Array<{id: number; service: string; account: string; archived: boolean; extra: {username: string | null}}>;
  xUsernameHistory: Array<{username: string}>;
}

interface Joined {
  profile: {id: number; createdAt: number; archived: boolean};
  user: {displayName: string; username: string | null; score: number} | null;
}

/** Who joined last, while nobody is searched for. */
function Newest(): JSX.Element {
  const {data, error, reload} = useResource<{values: Joined[]}>(publicAt(['profiles', 'recent'], {limit: 50}), 30);
  return (
    <>
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && data.value.values.length > 0 && <p class="quiet">Who joined last. Type to find others.</p>}
      {data.value && (
        <DataTable caption="Who joined last" file="newest-people" rows={data.value.values} id={each => each.profile.id} empty={<Empty what="Nobody has joined yet." />}
          columns={[
            {head: 'Name', cell: each => <a href={href(['records', 'people', each.profile.id])}>{each.user?.displayName || each.user?.username || `profile ${each.profile.id}`}</a>, by: each => each.user?.displayName},
            {head: 'Profile', as: 'n', cell: each => each.profile.id, by: each => each.profile.id},
            {head: 'Username', cell: each => each.user?.username ?? <span class="quiet">–</span>, by: each => each.user?.username},
            {head: 'Score', as: 'n', cell: each => whole(each.user?.score), by: each => each.user?.score},
            {head: 'Joined (UTC)', cell: each => <Time at={each.profile.createdAt} />, by: each => each.profile.createdAt}
          ]} />
      )}
    </>
  );
}

export function PeopleList(): JSX.Element {
  const query = param('query');
  const {data, error, reload} = useResource<{values: PersonRow[]; total: number}>(query ? at(['people'], {query, limit: 100}) : null);
  const found = data.value;
  return (
    <Section title="People">
      <div class="filters"><FilterText name="query" label="Name, username, id or address" placeholder="0x…, 7, ada" /></div>
      {error.value && <Failed error={error.value} retry={reload} />}
      {!query && <Newest />}
      {found && query && (
        <>
          <DataTable caption="People who match" file="people" all={() => bestMatches(['people'], {query})} rows={found.values} id={each => each.userId}
            empty={<Empty what={`Nobody matches “${query}”.`}>Try part of a name, an id or an address.</Empty>}
            columns={[
              {head: 'Name', cell: each => <Person of={each} />, by: each => each.displayName},
              {head: 'Profile', as: 'n', cell: each => each.profileId ?? <span class="quiet">none</span>, by: each => each.profileId},
              {head: 'Username', cell: each => each.username ?? <span class="quiet">–</span>, by: each => each.username},
              {head: 'Score', as: 'n', cell: each => whole(each.score), by: each => each.score},
              {head: 'User', as: 'n', cell: each => each.userId, by: each => each.userId}
            ]} />
          <p class="quiet small">{found.total > found.values.length ? `The best ${found.values.length} of ${whole(found.total)}. Narrow the search to see others.` : `${count(found.total, 'person', 'people')}.`}</p>
        </>
      )}
    </Section>
  );
}

function setAccess(person: Person, allowed: boolean, done: () => void): void {
  const id = String(person.profileId);
  ask({
    title: allowed ? `Let profile ${id} have API keys` : `Forbid profile ${id} to have API keys`,
    body: allowed ? <p>It can then make keys that act for it over the API.</p> : <p>It can make no new keys at once, and its keys are refused within 90 seconds.</p>,
    verb: allowed ? 'Let it' : 'Forbid it',
    word: allowed ? undefined : id,
    danger: !allowed,
    run: async () => {
      await write('PUT', at(['people', id, 'api-access']), {allowed});
      done();
      return allowed ? `Profile ${id} may have API keys.` : `Profile ${id} may not have API keys any more.`;
    }
  });
}

function setArchived(person: Person, archived: boolean, done: () => void): void {
  const id = String(person.profileId);
  ask({
    title: archived ? `Archive profile ${id}` : `Restore profile ${id}`,
    body: archived
      ? <p>It writes nothing any more, and neither a session nor a key of it counts. What it did stays. An admin can restore it.</p>
      : <p>It can sign in and write again.</p>,
    verb: archived ? 'Archive it' : 'Restore it',
    word: archived ? id : undefined,
    danger: archived,
    run: async () => {
      await write('POST', at(['people', id, archived ? 'archive' : 'restore']));
      done();
      return archived ? `Profile ${id} is archived.` : `Profile ${id} is live again.`;
    }
  });
}

function setAccountArchived(of: Known['attestations'][number], archived: boolean, done: () => void): void {
  const account = `${of.service}:${of.extra.username ?? of.account}`;
  ask({
    title: archived ? `Archive the account ${account}` : `Restore the account ${account}`,
    body: archived ? <p>Nobody is found by it then, and it is no userkey of the profile. What the account receives stays the profile's.</p> : <p>The profile is found by it again.</p>,
    verb: archived ? 'Archive it' : 'Restore it',
    word: archived ? of.account : undefined,
    danger: archived,
    run: async () => {
      await write('POST', at(['attestations', of.id, archived ? 'archive' : 'restore']));
      done();
      return archived ? `The account ${account} is archived.` : `The account ${account} is restored.`;
    }
  });
}

/** An admin's word on whether there is one person behind the profile. */
function Human({person, status, done}: {person: Person; status: string | null; done: () => void}): JSX.Element {
  const [why, setWhy] = useState('');
  const id = String(person.profileId);
  const reason = why.trim();
  const say_ = (verified: boolean): void => ask({
    title: verified ? `Verify the person of profile ${id}` : `Withdraw the verification of profile ${id}`,
    body: <p>Everybody sees it, with the comment and who decided it.</p>,
    verb: verified ? 'Verify it' : 'Withdraw it',
    word: id,
    danger: true,
    run: async () => {
      const order: HumanOrder = {verified, comment: reason};
      await write('PUT', at(['people', id, 'human-verification']), order);
      setWhy('');
      done();
      return verified ? `Profile ${id} is verified.` : `Profile ${id} is not verified any more.`;
    }
  });
  return (
    <form class="form" onSubmit={event => { event.preventDefault(); if (reason) say_(status !== 'VERIFIED'); }} novalidate>
      <Text label="Comment on the verification" value={why} onInput={setWhy} maxLength={2000} hint="It is shown to everybody." />
      <div class="row"><Button type="submit" kind="danger" disabled={!reason}>{status === 'VERIFIED' ? 'Withdraw…' : 'Verify…'}</Button></div>
    </form>
  );
}

/** Ether as people type it, in wei; null where it is no amount. */
function weiOf(text: string): string | null {
  const match = /^(\d{1,12})(?:\.(\d{1,18}))?$/.exec(text.trim());
  if (!match) return null;
  const wei = BigInt(match[1] as string) * 10n ** 18n + BigInt((match[2] ?? '').padEnd(18, '0') || '0');
  return wei > 0n ? wei.toString() : null;
}

function Credit({person, done}: {person: Person; done: () => void}): JSX.Element {
  const [typed, setTyped] = useState('');
  const wei = weiOf(typed);
  const id = String(person.profileId);
  const credit = (event: Event): void => {
    event.preventDefault();
    if (!wei) return;
    const key = newKey(); // of this dialog: a second press after "the outcome is unknown" credits nothing more
    ask({
      title: `Credit profile ${id}`,
      body: <p><strong class="num">{ether(wei)}&nbsp;ETH</strong> ({whole(wei)}&nbsp;wei) is put on the balance of profile {id} for markets. This cannot be taken back here.</p>,
      verb: 'Credit it',
      word: id,
      danger: true,
      run: async () => {
        const after = await write<{balanceWei: string}>('POST', at(['people', id, 'credit']), {amountWei: wei, confirm: id}, key);
        setTyped('');
        done();
        return `Profile ${id} now has ${ether(after.balanceWei)}\u00a0ETH.`;
      }
    });
  };
  return (
    <form class="form" onSubmit={credit} novalidate>
      <Text label="Amount in ether" value={typed} onInput={setTyped} placeholder="0.5" mono wrong={typed && !wei ? 'An amount above 0 such as 0.5, with 18 digits behind the point at most.' : undefined} />
      <div class="row"><Button type="submit" kind="danger" disabled={!wei}>Credit…</Button></div>
    </form>
  );
}

/** XP as people type it: whole points from 1 to a million; null where it is no amount. */
function pointsOf(text: string): number | null {
  const points = /^\d{1,7}$/.test(text.trim()) ? Number(text) : 0;
  return points >= 1 && points <= 1_000_000 ? points : null;
}

function Grant({person, done}: {person: Person; done: () => void}): JSX.Element {
  const [typed, setTyped] = useState('');
  const [why, setWhy] = useState('');
  const amount = pointsOf(typed);
  const reason = why.trim();
  const id = String(person.profileId);
  const grant = (event: Event): void => {
    event.preventDefault();
    if (!amount || !reason) return;
    const order: GrantOrder = {amount, reason, confirm: id};
    const key = newKey(); // of this dialog: a second press after "the outcome is unknown" grants nothing more
    ask({
      title: `Grant XP to profile ${id}`,
      body: <p><strong class="num">{whole(amount)}&nbsp;XP</strong> go to profile {id}, which may tip them at once. This cannot be taken back here.</p>,
      verb: 'Grant it',
      word: id,
      danger: true,
      run: async () => {
        const after = await write<{xp: number}>('POST', at(['people', id, 'xp-grants']), order, key);
        setTyped('');
        setWhy('');
        done();
        return `Profile ${id} now has ${whole(after.xp)}\u00a0XP.`;
      }
    });
  };
  return (
    <form class="form" onSubmit={grant} novalidate>
      <Text label="Amount in XP" value={typed} onInput={setTyped} placeholder="500" mono wrong={typed && !amount ? 'Whole points, from 1 to 1,000,000.' : undefined} />
      <Text label="Reason, for the audit log" value={why} onInput={setWhy} maxLength={200} />
      <div class="row"><Button type="submit" kind="danger" disabled={!amount || !reason}>Grant XP…</Button></div>
    </form>
  );
}

function Merge({person, done}: {person: Person; done: () => void}): JSX.Element {
  const [typed, setTyped] = useState('');
  const userkey = typed.trim();
  const named = /^(address|service):./.test(userkey);
  const id = String(person.profileId);
  const merge = (event: Event): void => {
    event.preventDefault();
    if (!named) return;
    const order: MergeOrder = {userkey, confirm: id};
    ask({
      title: `Merge somebody into profile ${id}`,
      body: (
        <>
          <p>The person behind <code>{userkey}</code> becomes a part of profile {id}: every address and account of that person is the profile's, and so is what others said about the person.</p>
          <p>Whoever holds such an address can sign in as profile {id} from then on. This cannot be taken back here.</p>
        </>
      ),
      verb: 'Merge them',
      word: id,
      danger: true,
      run: async () => {
        const after = await write<{mergedUserId: number | null}>('POST', at(['people', id, 'merge']), order);
        setTyped('');
        done();
        return after.mergedUserId ? `User ${after.mergedUserId} is a part of profile ${id} now.` : `${userkey} was a part of profile ${id} before.`;
      }
    });
  };
  return (
    <form class="form" onSubmit={merge} novalidate>
      <Text label="Userkey of the other person" value={typed} onInput={setTyped} placeholder="address:0x… or service:x.com:<id>" mono
        wrong={typed && !named ? 'An address or an account, such as address:0x… or service:x.com:username:ada.' : undefined} />
      <div class="row"><Button type="submit" kind="danger" disabled={!named}>Merge…</Button></div>
    </form>
  );
}

/** Such as “2 sessions, 1 API key and 0 partners”. */
function told({sessions, apiKeys, partners}: EndedAccess): string {
  return `${count(sessions, 'session')}, ${count(apiKeys, 'API key')} and ${count(partners, 'partner')}`;
}

/** Asks first what would end, and then whether it should. */
async function endAccess(id: string, done: () => void): Promise<void> {
  const order: EndAccessOrder = {confirm: id};
  try {
    const there = await write<EndedAccess>('POST', at(['people', id, 'end-access'], {dryRun: true}), order);
    ask({
      title: `End all sessions and keys of profile ${id}`,
      body: (
        <>
          <p><strong>{told(there)}</strong> end: they are refused from the moment of the answer.</p>
          <p>Whoever has a wallet of the profile can sign in again. Access tokens that the server's operators or an identity provider made go on until they expire.</p>
        </>
      ),
      verb: 'End them all',
      word: id,
      danger: true,
      run: async () => {
        const sum: EndedAccess = {dryRun: false, sessions: 0, apiKeys: 0, partners: 0, more: true};
        while (sum.more) {
          const ended = await write<EndedAccess>('POST', at(['people', id, 'end-access']), order);
          sum.sessions += ended.sessions;
          sum.apiKeys += ended.apiKeys;
          sum.partners += ended.partners;
          sum.more = ended.more;
        }
        done();
        return `Profile ${id}: ${told(sum)} ended.`;
      }
    });
  } catch (why) {
    say(`It could not be looked at: ${ApiError.from(why).message}`, true);
  }
}

/** What admins alone may do to a profile. */
function Acts({person, human, done}: {person: Person; human: string | null | undefined; done: () => void}): JSX.Element {
  return (
    <>
      <Section title="Credit" lead="Money for trading in markets; the audit keeps who gave it."><Credit person={person} done={done} /></Section>
      <Section title="Grant XP" lead="Points for the profile; the audit keeps who gave them, and why."><Grant person={person} done={done} /></Section>
      {human !== undefined && session.value?.profileId && <Section title="Human verification" lead="Whether there is one person behind the profile; the audit keeps who decided it."><Human person={person} status={human} done={done} /></Section>}
      <Section title="Merge" lead="Somebody without a profile who is the same person."><Merge person={person} done={done} /></Section>
    </>
  );
}

function Detail({person, reload}: {person: Person; reload: () => void}): JSX.Element {
  const about = useResource<Known | null>(person.profileId ? publicAt(['internal', 'users', `profileId:${person.profileId}`]) : null);
  const known = about.data.value;
  const human = about.data.value || !person.profileId ? known?.user.humanVerificationStatus ?? null : undefined; // undefined: not known yet
  const accounts = known?.attestations ?? [];
  const inviter = known?.inviterUser;
  return (
    <>
      <Stats label="Figures" of={[
        {label: 'Score', value: whole(person.score), note: <a href={hrefWith({only: 'score'})}>what changed it</a>},
        {label: 'XP', value: whole(person.xp)},
        {label: 'Balance', value: person.balance ? ether(person.balance.wei) : '–', unit: person.balance ? 'ETH' : undefined, note: person.balance ? <>{ether(person.balance.availableWei)} available</> : 'no money here'},
        {label: 'API keys', value: person.apiAccess ? 'allowed' : 'not allowed', tone: person.apiAccess ? 'good' : 'off'}
      ]} />
      <Section title="Who it is">
        {about.error.value && <Failed error={about.error.value} retry={about.reload} />}
        <div class="panel">
          <Pairs of={[
            ['Name', person.displayName || '–'],
            ['Username', person.username ?? '–'],
            ['User', String(person.userId)],
            ['Profile', person.profileId ? String(person.profileId) : 'none'],
            ['Joined', person.createdAt ? <><Time at={person.createdAt} /> UTC</> : '–'],
            ...(human === undefined ? [] : [['Invited by', inviter?.profileId ? <a href={href(['records', 'people', inviter.profileId])}>{inviter.displayName || `profile ${inviter.profileId}`}</a> : '–'],
            ['Accounts', accounts.length > 0 ? <ul>{accounts.map(each => <li key={`${each.service} ${each.account}`}>{each.service}: {each.extra.username ?? 'name not known'} <code>{each.account}</code>{each.archived && <span class="quiet"> (archived)</span>}
              {can('admin') && <> <Button small kind={each.archived ? '' : 'danger'} label={`${each.archived ? 'Restore' : 'Archive'} the account ${each.service} ${each.account}`} onClick={() => setAccountArchived(each, !each.archived, about.reload)}>{each.archived ? 'Restore…' : 'Archive…'}</Button></>}</li>)}</ul> : '–'],
            ['Verified as a person', human ? words(human) : 'no']] as Array<[string, ComponentChildren]>),
            ...(known && known.xUsernameHistory.length > 0 ? [['Names on x.com', known.xUsernameHistory.map(each => each.username).join(', ')] as [string, string]] : []),
            ['Addresses', person.addresses.length > 0 ? <ul>{person.addresses.map(each => <li key={each}><code>{each}</code></li>)}</ul> : '–']
          ]} />
        </div>
        {person.profileId && (
          <p class="row wide">
            <a href={href(['actors', `profile:${person.profileId}`])}>Its actor</a>
            <a href={href(['records', 'markets', person.profileId])}>Its market</a>
            <a href={href(['clients', 'keys'], {profile: person.profileId})}>Its API keys</a>
            <a href={href(['audit'], {profileId: person.profileId})}>The audit about it</a>
            <a href={href(['audit'], {callerId: person.profileId})}>What it asked for</a>
          </p>
        )}
      </Section>
      {person.profileId && <Timeline of={person} />}
      {can('admin') && person.profileId && <Acts person={person} human={human} done={() => { reload(); about.reload(); }} />}
    </>
  );
}

export function OnePerson({id}: {id: string}): JSX.Element {
  const {data, error, reload} = useResource<Person>(at(['people', id]), 10);
  const person = data.value;
  return (
    <Page title={person ? person.displayName || person.username || `Profile ${id}` : `Profile ${id}`} lead={<a href={href(['records', 'people'])}>All people</a>}
      actions={person && (
        <>
          <Badge tone={person.archived ? 'warn' : 'good'}>{person.archived ? 'archived' : person.profileId ? 'live profile' : 'no profile'}</Badge>
          {can('operator') && person.profileId && (person.apiAccess
            ? <Button kind="danger" onClick={() => setAccess(person, false, reload)}>Forbid API keys…</Button>
            : <Button onClick={() => setAccess(person, true, reload)}>Allow API keys…</Button>)}
          {can('admin') && person.profileId && (
            <>
              <Button kind="danger" onClick={() => void endAccess(id, reload)}>End sessions and keys…</Button>
              {person.archived ? <Button onClick={() => setArchived(person, false, reload)}>Restore…</Button> : <Button kind="danger" onClick={() => setArchived(person, true, reload)}>Archive…</Button>}
            </>
          )}
        </>
      )}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {person && <Detail person={person} reload={reload} />}
    </Page>
  );
}
