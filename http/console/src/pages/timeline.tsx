// Everything that is known of a person, in one line of time: what the public API tells of it, and the audit.
import type {ComponentChildren, JSX} from 'preact';
import {useSignal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {at, publicAt, question, read} from '../lib/api';
import type {AuditEntry, Person} from '../lib/contract';
import {ether, whole, words} from '../lib/format';
import {href, param} from '../lib/router';
import {begin, further, merged} from '../lib/timeline';
import type {Entry, Read, Source} from '../lib/timeline';
import {Badge, Button, Empty, Note, Section, Time} from '../ui/basics';
import {FilterSelect} from '../ui/fields';
import {DataTable} from '../ui/table';

interface What {
  kind: string;
  text: ComponentChildren;
  /** The same for a file. */
  plain: string;
}

interface Somebody {
  profileId?: number | null;
  name?: string;
  userkey?: string;
}
interface Activity {
  type: string;
  timestamp: number;
  author: Somebody | null;
  subject: Somebody | null;
  data: {id?: number; score?: string; comment?: string; content?: string; archived?: boolean};
}
interface Paged<Row> {
  values: Row[];
  total: number;
}
interface ScoreChange {
  date: string;
  score: number;
  cause: string;
}
interface XpMovement {
  id: number;
  type: string;
  points: number;
  createdAt: string;
  metadata: {profileId?: number};
}
interface Invited {
  invitation: {id: number; recipientAddress: string; status: string; dateInvited: string; dateAccepted: string | null; profileId: number | null};
}
interface Trade {
  eventId: number;
  marketId: number;
  type: string;
  voteType: string;
  votes: number;
  funds: string;
  timestamp: number;
}

const pageSize = 50;
const addressesMax = 5; // whose trades are looked for

const nameOf = (who: Somebody | null): string => who?.name || who?.userkey || 'somebody';
const Who = ({of}: {of: Somebody | null}): JSX.Element => (of?.profileId ? <a href={href(['records', 'people', of.profileId])}>{nameOf(of)}</a> : <>{nameOf(of)}</>);
const ms = (iso: string): number => new Date(iso).getTime();

/** A list with `offset`, which begins at the number that is told. */
function byOffset<Row>(name: string, page: (offset: number) => Promise<Row[]>, entry: (row: Row) => Entry<What>): Source<What> {
  return {name, page: async from => {
    const offset = Number(from);
    const rows = await page(offset);
    return {entries: rows.map(entry), next: rows.length < pageSize ? null : String(offset + rows.length)};
  }};
}

function activities(userkey: string): Source<What> {
  return byOffset<Activity>('records', async offset => (await question<Paged<Activity>>(publicAt(['activities', 'profile', 'all']), {userkey, limit: pageSize, offset})).values, each => {
    const said = each.data.comment || each.data.content || '';
    const kind = [each.type, each.data.score].filter(Boolean).join(', ');
    return {
      at: each.timestamp * 1000, id: `${each.type} ${each.data.id}`,
      what: {
        kind, plain: `${nameOf(each.author)}${each.subject ? ` about ${nameOf(each.subject)}` : ''}: ${said}`,
        text: <><Who of={each.author} />{each.subject && <> about <Who of={each.subject} /></>}{each.data.archived && <span class="quiet"> (archived)</span>}{said && <>: {said.slice(0, 200)}</>}</>
      }
    };
  });
}

function scores(userkey: string): Source<What> {
  return {name: 'score', page: async () => {
    const all = (await read<ScoreChange[]>(publicAt(['score', 'history'], {userkey, duration: 'all'}))).sort((a, b) => ms(a.date) - ms(b.date));
    const entries = all.map((each, i): Entry<What> => {
      const before = all[i - 1];
      const step = before ? each.score - before.score : null;
      const plain = `${whole(each.score)}${step === null ? '' : ` (${step < 0 ? '−' : '+'}${whole(Math.abs(step))})`}, by ${each.cause}`;
      return {at: ms(each.date), id: `score ${i}`, what: {kind: 'score', plain, text: plain}};
    });
    return {entries: entries.reverse(), next: null};
  }};
}

function points(userkey: string): Source<What> {
  return byOffset<XpMovement>('xp', async offset => (await read<Paged<XpMovement>>(publicAt(['xp', 'history'], {userkey, limit: pageSize, offset}))).values, each => {
    const plain = `${words(each.type)}, ${whole(each.points)} XP`;
    const other = each.metadata.profileId;
    return {at: ms(each.createdAt), id: `xp ${each.id}`, what: {kind: 'XP', plain, text: <>{plain}{other && <>, with <Who of={{profileId: other, name: `profile ${other}`}} /></>}</>}};
  });
}

function invitations(id: number): Source<What> {
  return byOffset<Invited>('invitations', async offset => (await read<Paged<Invited>>(publicAt(['invitations'], {senderProfileId: id, limit: pageSize, offset}))).values, ({invitation: each}) => ({
    at: ms(each.dateInvited), id: `invitation ${each.id}`,
    what: {kind: 'invitation', plain: `${each.recipientAddress}, ${words(each.status)}`,
      text: <><code>{each.recipientAddress}</code>, {words(each.status)}{each.profileId && <> as <Who of={{profileId: each.profileId, name: `profile ${each.profileId}`}} /></>}</>}
  }));
}

function trades(address: string): Source<What> {
  return byOffset<Trade>('trades', async offset => (await read<Paged<Trade>>(publicAt(['markets', 'activity', address], {limit: pageSize, offset}))).values, each => {
    const plain = `${each.type.toLowerCase()} of ${whole(each.votes)} ${each.voteType} for ${ether(String(each.funds))} ETH`;
    return {at: each.timestamp * 1000, id: `trade ${each.eventId}`, what: {kind: 'trade', plain: `${plain}, market ${each.marketId}`,
      text: <>{plain}, <a href={href(['records', 'markets', each.marketId])}>market {each.marketId}</a></>}};
  });
}

function audit(id: number): Source<What> {
  return {name: 'audit', page: async from => {
    const page = await read<{values: AuditEntry[]; next: string | null}>(at(['audit'], {profileId: id, limit: pageSize, cursor: from}));
    return {next: page.next, entries: page.values.map((each): Entry<What> => ({
      at: each.at, id: `audit ${each.number}`,
      what: {kind: words(each.act), plain: `${each.subject} by ${each.credential}`,
        text: <><a href={href(['audit'], {profileId: id, entry: each.number})}>{each.subject || `entry ${each.number}`}</a>{each.credential && <span class="quiet">, by {each.credential}</span>}{each.address && <span class="quiet">, from {each.address}</span>}</>}
    }))};
  }};
}

const filters: Array<[string, string]> = [['', 'everything'], ['records', 'reviews, vouches, replies'], ['score', 'the score, with its causes'], ['xp', 'XP and tips'], ['trades', 'trades'],
  ['invitations', 'invitations'], ['audit', 'audit: keys, sessions, money, acts of admins']];

export function Timeline({of}: {of: Person}): JSX.Element {
  const id = of.profileId as number;
  const only = param('only');
  const parts = useSignal<Array<Read<What>> | null>(null);
  const busy = useSignal(false);
  useEffect(() => {
    let gone = false;
    const userkey = `profileId:${id}`;
    void begin([activities(userkey), scores(userkey), points(userkey), invitations(id), ...of.addresses.slice(0, addressesMax).map(trades), audit(id)]).then(all => { if (!gone) parts.value = all; });
    return () => { gone = true; };
  }, [id]);
  const chosen = (parts.value ?? []).filter(each => !only || each.source.name === only);
  const {entries, complete} = merged(chosen);
  const earlier = async (): Promise<void> => {
    busy.value = true;
    const more = await further(chosen);
    parts.value = (parts.value ?? []).map(each => more.find(one => one.source === each.source) ?? each);
    busy.value = false;
  };
  const rows = entries.map(each => ({at: new Date(each.at).toISOString(), kind: each.what.kind, what: each.what.plain}));
  return (
    <Section title="Time line" lead="What others may read of it, and the audit; newest first.">
      <div class="filters"><FilterSelect name="only" label="Show" options={filters} /></div>
      {chosen.filter(each => each.error).map(each => <Note key={each.source.name} tone="warn"><p>Without {each.source.name}: {each.error}</p></Note>)}
      {!parts.value && <p class="quiet" role="status">Reading…</p>}
      {parts.value && (
        <>
          <DataTable caption="Time line, newest first" file="timeline" sortName="line" rows={entries} all={() => Promise.resolve({rows, complete})} id={each => each.id}
            empty={<Empty what="There is nothing of it.">{complete ? 'Nothing of this kind has happened.' : 'Look for earlier ones.'}</Empty>}
            columns={[
              {head: 'When (UTC)', as: 'fit', cell: each => <Time at={each.at} />},
              {head: 'Kind', cell: each => <Badge tone="off">{each.what.kind}</Badge>},
              {head: 'What', cell: each => each.what.text}
            ]} />
          {!complete && <p><Button onClick={() => void earlier()} disabled={busy.value}>{busy.value ? 'Reading…' : 'Earlier'}</Button></p>}
        </>
      )}
    </Section>
  );
}
