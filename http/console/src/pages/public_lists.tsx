// What the public API lists of one project, market or slash.
import type {ComponentChildren, JSX} from 'preact';
import {at, publicAt, read, write} from '../lib/api';
import type {SlashRow} from '../lib/contract';
import {ether, percent, seconds, whole, words} from '../lib/format';
import {useResource} from '../lib/resource';
import {href, param, setQuery} from '../lib/router';
import {can} from '../lib/session';
import {rowsMax} from '../lib/take';
import type {Rows} from '../lib/take';
import {Badge, Button, Empty, Failed, Page, Pairs, Section, Stats, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {FilterSelect} from '../ui/fields';
import {Profile} from '../ui/profile';
import {DataTable} from '../ui/table';
import type {Column} from '../ui/table';

interface User {
  profileId: number | null;
  displayName: string;
  username: string | null;
  score: number;
}
interface Paged<Row> {
  values: Row[];
  total: number;
}

const pageSize = 50;
const pageMax = 100;

function Who({of}: {of: User}): JSX.Element {
  const name = of.displayName || of.username || `profile ${of.profileId}`;
  return of.profileId ? <a href={href(['records', 'people', of.profileId])}>{name}</a> : <>{name}</>;
}

async function everyOffset(parts: Array<string | number>, filter: Record<string, string>): Promise<Rows> {
  const rows: object[] = [];
  for (;;) {
    const page = await read<Paged<object>>(publicAt(parts, {...filter, limit: pageMax, offset: rows.length}));
    rows.push(...page.values);
    if (page.values.length < pageMax || rows.length >= rowsMax) return {rows, complete: page.values.length < pageMax};
  }
}

/** A list of the public API with `offset`, a page at a time. */
function Listed<Row extends object>(props: {
  title: string; lead?: ComponentChildren; file: string; parts: Array<string | number>; query?: Record<string, string>; filters?: ComponentChildren; empty: string;
  id: (row: Row) => string | number; columns: Array<Column<Row>>;
}): JSX.Element {
  const name = `${props.file}From`;
  const from = /^\d+$/.test(param(name)) ? Number(param(name)) : 0;
  const {data, error, reload} = useResource<Paged<Row>>(publicAt(props.parts, {...props.query, limit: pageSize, offset: from}), 10);
  const found = data.value;
  const turn = (to: number): void => setQuery({[name]: to > 0 ? to : undefined}, 'replace');
  return (
    <Section title={props.title} lead={props.lead}>
      {props.filters && <div class="filters">{props.filters}</div>}
      {error.value && <Failed error={error.value} retry={reload} />}
      {found && (
        <>
          <DataTable caption={props.title} file={props.file} all={() => everyOffset(props.parts, props.query ?? {})} rows={found.values} id={props.id} sortName={`${props.file}Sort`} empty={<Empty what={props.empty} />} columns={props.columns} />
          {(from > 0 || found.total > from + found.values.length) && (
            <nav class="pager" aria-label={`Pages of ${props.title.toLowerCase()}`}>
              <button type="button" class="button small" disabled={from === 0} onClick={() => turn(Math.max(0, from - pageSize))}>Page before</button>
              <span class="quiet num">{whole(from + 1)} to {whole(from + found.values.length)} of {whole(found.total)}</span>
              <button type="button" class="button small" disabled={found.total <= from + found.values.length} onClick={() => turn(from + pageSize)}>Next page</button>
            </nav>
          )}
        </>
      )}
    </Section>
  );
}

export function Team({project}: {project: number}): JSX.Element {
  const {data, error, reload} = useResource<Array<User & {role: string; isManager: boolean}>>(publicAt(['projects', project, 'team']));
  return (
    <Section title="Team">
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && (
        <DataTable caption="Team" file="team" rows={data.value} id={each => each.profileId ?? each.displayName} sortName="teamSort" empty={<Empty what="It names no team." />}
          columns={[
            {head: 'Member', cell: each => <Who of={each} />, by: each => each.displayName},
            {head: 'Role', cell: each => each.role, by: each => each.role},
            {head: 'Manages it', cell: each => (each.isManager ? 'yes' : 'no')}
          ]} />
      )}
    </Section>
  );
}

interface Trade {
  eventId: number;
  actorAddress: string;
  type: string;
  voteType: string;
  votes: number;
  funds: string;
  txHash: string | null;
  timestamp: number;
}

export function Trades({market}: {market: string}): JSX.Element {
  return (
    <Listed<Trade> title="Trades" file="trades" parts={['markets', market, 'tx', 'history']} query={{voteTypeFilter: param('tradesOf')}} empty="Nobody has traded so." lead="The newest first." id={each => each.eventId}
      filters={<FilterSelect name="tradesOf" label="Votes" options={[['', 'trust and distrust'], ['trust', 'trust'], ['distrust', 'distrust']]} />}
      columns={[
        {head: 'When (UTC)', cell: each => <Time at={each.timestamp} />, by: each => each.timestamp},
        {head: 'Trade', cell: each => `${words(each.type)} ${each.voteType}`, by: each => each.type},
        {head: 'Votes', as: 'n', cell: each => whole(each.votes), by: each => each.votes},
        {head: 'ETH', as: 'n', cell: each => ether(String(each.funds)), by: each => Number(each.funds)},
        {head: 'By', cell: each => <a href={href(['records', 'people'], {query: each.actorAddress})}><code>{each.actorAddress}</code></a>}
      ]} />
  );
}

interface Holder {
  user: User | null;
  actorAddress: string;
  voteType: string;
  votes: number;
  total: number;
}

export function Holders({market}: {market: string}): JSX.Element {
  return (
    <Listed<Holder> title="Holders" file="holders" parts={['markets', market, 'holders']} empty="Nobody holds votes." lead="Who holds most comes first." id={each => `${each.actorAddress} ${each.voteType}`}
      columns={[
        {head: 'Holder', cell: each => (each.user ? <Who of={each.user} /> : <code>{each.actorAddress}</code>), by: each => each.user?.displayName ?? each.actorAddress},
        {head: 'Of', cell: each => each.voteType, by: each => each.voteType},
        {head: 'Votes', as: 'n', cell: each => whole(each.votes), by: each => each.votes},
        {head: 'Share', as: 'n', cell: each => percent(each.total > 0 ? each.votes / each.total : null), by: each => each.votes}
      ]} />
  );
}

interface Slash {
  id: number;
  authorProfileId: number;
  subject: string | null;
  attestationDetails: {service: string; account: string} | null;
  slashType: 'SCORE' | 'FINANCIAL' | 'XP';
  amount: number;
  duration: number;
  comment: string;
  createdAt: number;
  closedAt: number;
  cancelledAt: number;
  closesAt: number;
  status: 'open' | 'closed';
  outcome: string | null;
  votes: {slash: number; defend: number} | null;
  ballots: Array<{voter: number; vote: string; weight?: number}>;
}

const units = {SCORE: 'points of score', FINANCIAL: 'basis points of the money vouched', XP: 'XP'};

export const canCancel = (slash: Pick<SlashRow, 'state'>): boolean => /^(open|voting)$/i.test(slash.state);

export function cancelSlash(id: number, subject: string, author: number, done: () => void): void {
  ask({
    title: `Cancel slash ${id}`,
    body: <p>The accusation of {subject} by profile {author} ends without an outcome. This cannot be undone.</p>,
    verb: 'Cancel the slash',
    word: String(id),
    danger: true,
    run: async () => {
      await write('POST', at(['slashes', id, 'cancel']));
      done();
      return `Slash ${id} is cancelled.`;
    }
  });
}

export function OneSlash({id}: {id: string}): JSX.Element {
  const {data, error, reload} = useResource<Slash>(publicAt(['slashes', id]), 10);
  const slash = data.value;
  const subject = slash && (slash.subject ?? (slash.attestationDetails ? `service:${slash.attestationDetails.service}:${slash.attestationDetails.account}` : 'somebody'));
  return (
    <Page title={`Slash ${id}`} lead={<a href={href(['records', 'slashes'])}>All slashes</a>}
      actions={slash && (
        <>
          <Badge tone={slash.status === 'open' ? 'good' : 'off'}>{slash.outcome ? words(slash.outcome) : slash.status}</Badge>
          {slash.status === 'open' && can('admin') && <Button kind="danger" onClick={() => cancelSlash(slash.id, subject ?? '', slash.authorProfileId, reload)}>Cancel…</Button>}
        </>
      )}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {slash && (
        <>
          <Stats label="The slash" of={[
            {label: 'At stake', value: whole(slash.amount), note: units[slash.slashType]},
            {label: 'To slash', value: whole(slash.votes?.slash), note: slash.votes ? 'weight of the votes' : 'told once it is closed'},
            {label: 'To defend', value: whole(slash.votes?.defend), note: slash.votes ? 'weight of the votes' : 'told once it is closed'},
            {label: 'Lasts', value: seconds(slash.duration)}
          ]} />
          <Section title="What it is about">
            <div class="panel">
              <Pairs of={[
                ['Who accuses', <Profile id={slash.authorProfileId} />],
                ['Who is accused', <a href={href(['records', 'people'], {query: slash.subject ?? slash.attestationDetails?.account})}>{subject}</a>],
                ['Accusation', slash.comment || '–'], ['Made', <><Time at={slash.createdAt} /> UTC</>],
                [slash.closedAt ? 'Closed' : 'Closes', <><Time at={slash.closedAt || slash.closesAt} /> UTC</>],
                ...(slash.cancelledAt ? [['Cancelled', <><Time at={slash.cancelledAt} /> UTC</>] as [string, JSX.Element]] : [])
              ]} />
            </div>
          </Section>
          <Section title="Votes" lead={slash.status === 'open' ? 'They are told once the slash is closed.' : 'Of the first 500 voters.'}>
            <DataTable caption="Votes on the slash" file="ballots" rows={slash.ballots} id={each => each.voter} empty={<Empty what={slash.status === 'open' ? 'Votes are secret while it is open.' : 'Nobody voted.'} />}
              columns={[
                {head: 'Voter', cell: each => <Profile id={each.voter} />, by: each => each.voter},
                {head: 'Vote', cell: each => each.vote, by: each => each.vote},
                {head: 'Weight', as: 'n', cell: each => whole(each.weight), by: each => each.weight}
              ]} />
          </Section>
        </>
      )}
    </Page>
  );
}
