// Everything that is known of a person, in one line of time: what the public API tells of it, and the audit.
import type {ComponentChildren, JSX} from 'preact';
import {useSignal} from '@preact/signals';
import {useEffect, useRef} from 'preact/hooks';
import {at, publicAt, question, read, write} from '../lib/api';
import type {AuditEntry, CastVote, Person} from '../lib/contract';
import {ether, whole, words} from '../lib/format';
import {href, param} from '../lib/router';
import {can} from '../lib/session';
import {begin, further, merged} from '../lib/timeline';
import type {Entry, Read, Source} from '../lib/timeline';
import {Badge, Button, Empty, Note, Section, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {FilterSelect} from '../ui/fields';
import {Profile} from '../ui/profile';
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

function setReviewArchived(id: number, archived: boolean, done: () => void): void {
  ask({
    title: archived ? `Archive review ${id}` : `Restore review ${id}`,
    body: archived ? <p>It counts no more for the score of whom it is about. Its author cannot restore it; an admin can.</p> : <p>It counts for the score again.</p>,
    verb: archived ? 'Archive it' : 'Restore it',
    word: archived ? String(id) : undefined,
    danger: archived,
    run: async () => {
      await write('POST', at(['reviews', id, archived ? 'archive' : 'restore']));
      done();
      return archived ? `Review ${id} is archived.` : `Review ${id} is restored.`;
    }
  });
}

function ReviewAct({id, archived, done}: {id: number; archived: boolean; done: () => void}): JSX.Element {
  const verb = archived ? 'Restore' : 'Archive';
  return <Button small kind={archived ? '' : 'danger'} label={`${verb} review ${id}`} onClick={() => setReviewArchived(id, !archived, done)}>{verb}…</Button>;
}

function activities(userkey: string, done: () => void): Source<What> {
  return byOffset<Activity>('records', async offset => (await question<Paged<Activity>>(publicAt(['activities', 'profile', 'all']), {userkey, limit: pageSize, offset})).values, each => {
    const said = each.data.comment || each.data.content || '';
    const kind = [each.type, each.data.score].filter(Boolean).join(', ');
    return {
      at: each.timestamp * 1000, id: `${each.type} ${each.data.id}`,
      what: {
        kind, plain: `${nameOf(each.author)}${each.subject ? ` about ${nameOf(each.subject)}` : ''}: ${said}`,
        text: <><Who of={each.author} />{each.subject && <> about <Who of={each.subject} /></>}{each.data.archived && <span class="quiet"> (archived)</span>}{said && <>: {said.slice(0, 200)}</>}
          {each.type === 'review' && each.data.id && can('admin') && <> <ReviewAct id={each.data.id} archived={each.data.archived === true} done={done} /></>}</>
      }
    };
  });
}

function votes(id: number): Source<What> {
  return {name: 'votes', page: async from => {
    const page = await read<{values: CastVote[]; next: string | null}>(at(['votes'], {profileId: id, limit: pageSize, cursor: from}));
    return {next: page.next, entries: page.values.map((each): Entry<What> => {
      const project = each.projectName || `project ${each.projectId}`;
      const rest = `, weight ${each.weight}${each.reason ? `: ${each.reason}` : ''}`;
      return {at: each.castAt, id: `vote ${each.projectId} ${each.number}`,
        what: {kind: 'vote', plain: `${each.side} on ${project}${rest}`, text: <>{each.side} on <a href={href(['records', 'projects', each.projectId])}>{project}</a>{rest}</>}};
    })};
  }};
}

interface SlashOf {
  id: number;
  authorProfileId: number;
  subject: string | null;
  attestationDetails: {service: string; account: string} | null;
  comment: string;
  createdAt: number;
  status: string;
  outcome: string | null;
}

/** Those that somebody made, or those that are about somebody. */
function slashes(query: {author: number} | {subject: string}): Source<What> {
  return byOffset<SlashOf>('slashes', async offset => (await read<Paged<SlashOf>>(publicAt(['slashes'], {...query, limit: pageSize, offset}))).values, each => {
    const subject = each.subject ?? (each.attestationDetails ? `service:${each.attestationDetails.service}:${each.attestationDetails.account}` : 'somebody');
    const rest = `, ${each.outcome ? words(each.outcome) : each.status}${each.comment && `: ${each.comment.slice(0, 200)}`}`;
    const made = 'author' in query;
    return {at: each.createdAt * 1000, id: `slash ${each.id}`,
      what: {kind: 'slash', plain: `slash ${each.id} ${made ? `of ${subject}` : `by profile ${each.authorProfileId}`}${rest}`,
        text: <><a href={href(['records', 'slashes', each.id])}>slash {each.id}</a> {made ? <>of <code>{subject}</code></> : <>by <Profile id={each.authorProfileId} /></>}{rest}</>}};
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
    return {at: ms(each.createdAt), id: `xp ${each.id}`, what: {kind: 'XP', plain, text: <>{plain}{other && <>, with <Profile id={other} /></>}</>}};
  });
}

function invitations(id: number): Source<What> {
  return byOffset<Invited>('invitations', async offset => (await read<Paged<Invited>>(publicAt(['invitations'], {senderProfileId: id, limit: pageSize, offset}))).values, ({invitation: each}) => ({
    at: ms(each.dateInvited), id: `invitation ${each.id}`,
    what: {kind: 'invitation', plain: `${each.recipientAddress}, ${words(each.status)}`,
      text: <><code>{each.recipientAddress}</code>, {words(each.status)}{each.profileId && <> as <Profile id={each.profileId} /></>}</>}
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

/** A part of the time line: a list, or those entries of it whose kind it has. */
interface Facet {
  name: string;
  title: string;
  of: string;
  kinds?: RegExp;
}
const facets: Facet[] = [
  {name: 'votes', title: 'votes on projects', of: 'votes'},
  {name: 'reviews', title: 'reviews', of: 'records', kinds: /^review/},
  {name: 'vouches', title: 'vouches', of: 'records', kinds: /^(un)?vouch/},
  {name: 'replies', title: 'replies', of: 'records', kinds: /^reply/},
  {name: 'slashes', title: 'slashes', of: 'slashes'},
  {name: 'score', title: 'the score, with its causes', of: 'score'},
  {name: 'xp', title: 'XP and tips', of: 'xp'},
  {name: 'trades', title: 'trades', of: 'trades'},
  {name: 'invitations', title: 'invitations, whom it brought in', of: 'invitations'},
  {name: 'sessions', title: 'audit: sessions', of: 'audit', kinds: /session|sign in/},
  {name: 'keys', title: 'audit: API keys', of: 'audit', kinds: /^key|api access/},
  {name: 'partners', title: 'audit: partners', of: 'audit', kinds: /^partner/},
  {name: 'identity', title: 'audit: addresses, accounts, the profile', of: 'audit', kinds: /address|account|attest|profile|human|verif|wallet/},
  {name: 'money', title: 'audit: money and XP', of: 'audit', kinds: /deposit|^withdraw|credit|^xp/},
  {name: 'audit', title: 'audit: everything, also acts of admins', of: 'audit'}
];
const filters: Array<[string, string]> = [['', 'everything'], ...facets.map((each): [string, string] => [each.name, each.title])];
const pagesAtOnce = 8; // that are read until one has something of the part that is wanted

export function Timeline({of}: {of: Person}): JSX.Element {
  const id = of.profileId as number;
  const facet = facets.find(each => each.name === param('only'));
  const parts = useSignal<Array<Read<What>> | null>(null);
  const busy = useSignal(false);
  const turn = useSignal(0); // read anew behind an act
  const filled = useRef(''); // for which part earlier entries were looked for
  const addresses = of.addresses.slice(0, addressesMax).join(' ');
  useEffect(() => {
    let gone = false;
    const userkey = `profileId:${id}`;
    void begin([votes(id), activities(userkey, () => { turn.value += 1; }), slashes({author: id}), slashes({subject: userkey}), scores(userkey), points(userkey), invitations(id),
      ...addresses.split(' ').filter(Boolean).map(trades), audit(id)]).then(all => { if (!gone) parts.value = all; });
    return () => { gone = true; };
  }, [id, addresses, turn.value]);
  const chosen = (parts.value ?? []).filter(each => !facet || each.source.name === facet.of);
  const shown = (all: Array<Read<What>>): {entries: Array<Entry<What>>; complete: boolean} => {
    const {entries, complete} = merged(all);
    return {entries: facet?.kinds ? entries.filter(each => facet.kinds?.test(each.what.kind)) : entries, complete};
  };
  const {entries, complete} = shown(chosen);
  const earlier = async (): Promise<void> => {
    busy.value = true;
    let all = chosen;
    for (let pages = 0; pages < pagesAtOnce && !shown(all).complete && shown(all).entries.length === entries.length; pages += 1) all = await further(all);
    parts.value = (parts.value ?? []).map(each => all.find(one => one.source === each.source) ?? each);
    busy.value = false;
  };
  useEffect(() => { // a part whose entries are all older than what was read
    const part = `${id} ${facet?.name ?? ''} ${turn.value}`;
    if (!parts.value || entries.length > 0 || complete || busy.value || filled.current === part) return;
    filled.current = part;
    void earlier();
  }, [facet, parts.value, busy.value]);
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
