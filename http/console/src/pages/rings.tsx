// Rings that are stored: what is new about them, what somebody has made of them, and acts on all their members.
import type {JSX} from 'preact';
import {ApiError, at, write} from '../lib/api';
import type {ActedOn, Ring, RingActs, RingReview, RingRun, Rings, StoredRun} from '../lib/contract';
import {count, percent, whole} from '../lib/format';
import {useResource} from '../lib/resource';
import {href, hrefWith, param} from '../lib/router';
import {can} from '../lib/session';
import {Badge, Button, Empty, Failed, Fixed, Page, Section, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {FilterSelect} from '../ui/fields';
import {Profile} from '../ui/profile';
import {CursorPager, DataTable} from '../ui/table';
import {say} from '../ui/toasts';

type Mark = Ring['mark'];
type Act = 'revoke_keys' | 'take_api_access' | 'freeze_market';

const marks: Record<Mark, string> = {open: 'Open', looked_at: 'Looked at', honest: 'Honest', acted_on: 'Acted on'};
const changes: Record<Ring['change'], string> = {new: 'New', grown: 'Grown', same: 'Same', gone: 'Gone'};

const acts: Array<{act: Act; button: string; title: string; verb: string; about: string; none: string; done: string; counted: (of: ActedOn) => number; what: string}> = [
  {act: 'revoke_keys', button: 'Revoke keys…', title: 'Revoke the keys of', verb: 'Revoke them', about: 'Requests with these keys are refused from then on. Members who may have keys can make new ones.', none: 'No member has an API key.', done: 'revoked', counted: of => of.keysRevoked, what: 'API key'},
  {act: 'take_api_access', button: 'Take API access…', title: 'Take API access from', verb: 'Take it', about: 'They can make no API keys, and those that they have are refused within 90 seconds. It can be given back, profile by profile.', none: 'No member may have API keys.', done: 'without API access', counted: of => Number(of.apiAccessTaken), what: 'profile'},
  {act: 'freeze_market', button: 'Freeze markets…', title: 'Freeze the markets of', verb: 'Freeze them', about: 'Nobody buys or sells on them from then on. They can be unfrozen, market by market.', none: 'No member has a market that could be frozen.', done: 'frozen', counted: of => Number(of.marketFrozen), what: 'market'}
];

/** Asks piece by piece, until every member has been acted on; a run that finds the ring meanwhile ends it. */
async function actOnAll({ringId, runs}: Ring, act: Act, dryRun: boolean): Promise<ActedOn[]> {
  const done: ActedOn[] = [];
  for (let after: number | null = 0; after !== null;) {
    const piece: RingActs = await write<RingActs>('POST', at(['integrity', 'rings', ringId, 'act'], dryRun ? {dryRun} : {}), {acts: [act], runs, after, confirm: String(ringId)});
    done.push(...piece.done);
    after = piece.next;
  }
  return done;
}

async function offer(ring: Ring, how: (typeof acts)[number], reload: () => void): Promise<void> {
  const total = (of: ActedOn[]): number => of.reduce((sum, each) => sum + how.counted(each), 0);
  try {
    const tried = await actOnAll(ring, how.act, true);
    const hit = tried.filter(each => how.counted(each) > 0);
    if (hit.length === 0) return say(how.none);
    ask({
      title: `${how.title} ring ${ring.ringId}`,
      body: (
        <>
          <p>{count(total(hit), how.what)} of {count(hit.length, 'member')}: <People of={hit.map(each => each.profileId)} most={20} />.</p>
          <p>{how.about}</p>
        </>
      ),
      verb: how.verb,
      word: String(ring.ringId),
      danger: true,
      run: async () => `${count(total(await actOnAll(ring, how.act, false).finally(reload)), how.what)} ${how.done}. Mark the ring, too.`
    });
  } catch (why) {
    reload();
    say(`It could not be tried: ${ApiError.from(why).message}`, true);
  }
}

function mark(ring: Ring, as: Mark, done: () => void): void {
  ask({
    title: `Mark ring ${ring.ringId}: ${marks[as].toLowerCase()}`,
    body: <p>Everybody at the console sees who marked it, and the reason. It is open again if somebody new turns up in it.</p>,
    verb: 'Mark it',
    reason: true,
    run: async remark => {
      await write('PUT', at(['integrity', 'rings', ring.ringId, 'mark']), {mark: as, runs: ring.runs, remark}).finally(done);
      return `Ring ${ring.ringId} is marked: ${marks[as].toLowerCase()}.`;
    }
  });
}

export function People({of, most = 6}: {of: number[]; most?: number}): JSX.Element {
  return (
    <>
      {of.slice(0, most).map((id, i) => <span key={id}>{i > 0 && ', '}<Profile id={id} /></span>)}
      {of.length > most && <span class="quiet"> and {of.length - most} more</span>}
    </>
  );
}

const kinds: Record<string, string> = {REVIEW: 'reviews', VOUCH: 'vouches for', UPVOTE: 'votes up a review of'};

function Review({ring}: {ring: Ring}): JSX.Element {
  const {data, error, reload} = useResource<RingReview>(at(['integrity', 'rings', ring.ringId, 'votes']));
  const review = data.value;
  if (error.value) return <Failed error={error.value} retry={reload} />;
  if (!review) return <></>;
  return (
    <>
      <Section title="Votes that members cast together" lead="On one side of a project, among the newest 200 votes of each of the first 100 members.">
        <DataTable caption="Votes together" file={`ring-${ring.ringId}-votes`} rows={review.votes} id={each => `${each.projectId} ${each.bullish}`} sortName="votes" empty={<Empty what="No two of them voted alike." />}
          columns={[
            {head: 'Project', cell: each => <a href={href(['records', 'projects', each.projectId])}>project {each.projectId}</a>, by: each => each.projectId},
            {head: 'Side', cell: each => (each.bullish ? 'bullish' : 'bearish')},
            {head: 'Members', as: 'n', cell: each => whole(each.profiles.length), by: each => each.profiles.length},
            {head: 'Who', cell: each => <People of={each.profiles} />},
            {head: 'First (UTC)', cell: each => <Time at={each.firstAt} fraction />, by: each => each.firstAt},
            {head: 'Last (UTC)', cell: each => <Time at={each.lastAt} fraction />, by: each => each.lastAt}
          ]} />
      </Section>
      <Section title="What members did for each other">
        <DataTable caption="Ties" file={`ring-${ring.ringId}-ties`} rows={review.ties.map((each, i) => ({...each, i}))} id={each => each.i} sortName="ties" empty={<Empty what="They neither review nor vouch for each other." />}
          columns={[
            {head: 'Who', cell: each => <><Profile id={each.from} /> {kinds[each.kind]} <Profile id={each.to} /></>, by: each => each.from},
            {head: 'When (UTC)', cell: each => <Time at={each.at} />, by: each => each.at}
          ]} />
      </Section>
    </>
  );
}

function Chosen({ring, reload}: {ring: Ring; reload: () => void}): JSX.Element {
  return (
    <>
      <Section title={`Ring ${ring.ringId}`} lead={<>{ring.summary}: <People of={ring.profiles} most={500} /></>}
        actions={(
          <>
            {can('operator') && (['looked_at', 'honest', 'acted_on'] as const).map(each => <Button key={each} small onClick={() => mark(ring, each, reload)}>{marks[each]}…</Button>)}
            {can('admin') && acts.map(each => <Button key={each.act} small kind="danger" onClick={() => void offer(ring, each, reload)}>{each.button}</Button>)}
            <a class="button small" href={hrefWith({ring: undefined})}>Close</a>
          </>
        )}>
        {ring.markedAt !== null && <p><Badge tone="off">{marks[ring.mark]}</Badge> Marked last by {ring.markedBy} <Time at={ring.markedAt} age />{ring.remark && <>: {ring.remark}</>}</p>}
        <ul>{ring.evidence.map(each => <li key={each.text}>{each.text}</li>)}</ul>
      </Section>
      <Review key={ring.ringId} ring={ring} />
    </>
  );
}

function Run({of}: {of: RingRun | undefined}): JSX.Element {
  if (!of) return <></>;
  return <p class="quiet">The newest run ended <Time at={of.endedAt} age />: {count(of.found, 'ring')} among {count(of.people, 'profile')}; {of.new} new, {of.grown} grown, {of.gone} gone.</p>;
}

export function RingsPage(): JSX.Element {
  const {data, error, reload} = useResource<Rings>(at(['integrity', 'rings'], {mark: param('mark'), cursor: param('cursor')}), 60);
  const rings = data.value;
  const chosen = rings?.values.find(each => String(each.ringId) === param('ring'));
  const store = (): void => ask({
    title: 'Store what the last analysis has found',
    body: <p>It is compared with the rings that are stored: what is new, has grown, or is gone. A ring that has grown is open again.</p>,
    verb: 'Store it',
    run: async () => {
      const {run} = await write<StoredRun>('POST', 'integrity/rings');
      reload();
      return run ? `${count(run.found, 'ring')} stored: ${run.new} new, ${run.grown} grown, ${run.gone} gone.` : 'A run that is as new is stored already.';
    }
  });
  return (
    <Page title="Stored rings" lead={<>Profiles that look as if one hand led them, from run to run. <a href={href(['integrity'])}>What the last analysis has found</a></>}
      actions={can('operator') && <Button onClick={store}>Store findings…</Button>}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {rings && (
        <>
          <Run of={rings.runs[0]} />
          <div class="filters"><FilterSelect name="mark" label="Mark" options={[['', 'All'], ...Object.entries(marks)] as Array<[string, string]>} /></div>
          <DataTable caption="Rings" file="rings" rows={rings.values} id={each => each.ringId} empty={rings.runs.length > 0 ? <Empty what="No stored ring has this mark." /> : <Empty what="No ring is stored yet.">Run an analysis under <a href={href(['integrity'])}>Integrity</a>, then store what it finds.</Empty>}
            columns={[
              {head: 'Ring', cell: each => <a href={hrefWith({ring: each.ringId})} aria-current={each.ringId === chosen?.ringId ? 'true' : undefined}>ring {each.ringId}</a>, by: each => each.ringId},
              {head: 'What', cell: each => each.summary},
              {head: 'Newest run', cell: each => <Badge tone={each.change === 'new' || each.change === 'grown' ? 'warn' : 'off'}>{changes[each.change]}</Badge>, by: each => each.change},
              {head: 'Mark', cell: each => <Badge tone={each.mark === 'open' && each.change !== 'gone' ? 'bad' : 'off'}>{marks[each.mark]}</Badge>, by: each => each.mark},
              {head: 'Confidence', as: 'n', cell: each => <Fixed width={5}>{percent(each.confidence, 0)}</Fixed>, by: each => each.confidence},
              {head: 'Profiles', as: 'n', cell: each => whole(each.size), by: each => each.size},
              {head: 'Runs', as: 'n', cell: each => whole(each.runs), by: each => each.runs},
              {head: 'Found first (UTC)', cell: each => <Time at={each.firstFoundAt} />, by: each => each.firstFoundAt},
              {head: 'Found last (UTC)', cell: each => <Time at={each.lastFoundAt} />, by: each => each.lastFoundAt}
            ]} />
          <CursorPager next={rings.next} />
          {chosen && <Chosen ring={chosen} reload={reload} />}
        </>
      )}
    </Page>
  );
}
