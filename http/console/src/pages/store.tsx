import type {JSX} from 'preact';
import {useState} from 'preact/hooks';
import {at, write} from '../lib/api';
import type {DatabaseActivity, History, Intake, Replication, Store, Verification, Writer} from '../lib/contract';
import {bytes, count, dayMs, millis, percent, seconds, whole} from '../lib/format';
import {href} from '../lib/router';
import {useLive} from '../lib/live';
import {useResource} from '../lib/resource';
import {can} from '../lib/session';
import {Badge, Button, Contents, Empty, Failed, Fixed, Name, Note, Page, Progress, Section, Stats, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {Select, Text} from '../ui/fields';
import {DataTable} from '../ui/table';

function figures(writer: Writer): Parameters<typeof Stats>[0]['of'] {
  const unresolved = writer.unknownOutcomes - writer.resolvedStored - writer.resolvedAbsent;
  return [
    {label: 'Writer', value: writer.writable ? 'writes' : 'cannot write', tone: writer.writable ? 'good' : 'bad'},
    {label: 'Waiting', value: <Fixed width={5}>{whole(writer.queued)}</Fixed>, note: <>of {whole(writer.queueMax)} at most</>},
    {label: 'Commit p50', value: <Fixed width={8}>{millis(writer.commitP50Ms)}</Fixed>, note: <>p99 {millis(writer.commitP99Ms)}</>},
    {label: 'Batches', value: <Fixed width={9}>{whole(writer.batches)}</Fixed>, note: <>{whole(writer.batchFailures)} failed</>},
    {label: 'Changes', value: <Fixed width={9}>{whole(writer.changes)}</Fixed>, note: <>{whole(writer.changesFailed)} refused by the database</>},
    {label: 'Outcomes unknown', value: whole(unresolved), tone: unresolved > 0 ? 'bad' : undefined, note: <>{whole(writer.unknownOutcomes)} in all, {whole(writer.resolvedStored)} were stored</>},
    {label: 'Reconnects', value: whole(writer.reconnects)},
    {label: 'Reads waiting', value: <Fixed width={5}>{whole(writer.readsWaiting.loads + writer.readsWaiting.lists)}</Fixed>,
      note: <>{whole(writer.readsWaiting.loads)} loads, {whole(writer.readsWaiting.lists)} lists</>}
  ];
}

/** Has writes taken again, once that is confirmed. */
export function resumeIntake(done: () => void): void {
  ask({
    title: 'Resume the intake of writes',
    body: <p>Writes are taken again at once.</p>,
    verb: 'Resume',
    run: async () => {
      await write<Intake>('PUT', 'store/intake', {open: true});
      done();
      return 'Writes are taken again.';
    }
  });
}

function IntakeControl({intake, done}: {intake: Intake; done: () => void}): JSX.Element {
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState('10');
  const pause = (): void => ask({
    title: 'Pause the intake of writes',
    body: <p>Votes, trades, tips and every other write get 503 WRITES_PAUSED, with the reason and the rest of the {minutes} minutes, unless somebody resumes before. What was taken is still written; reads go on.</p>,
    verb: 'Pause the intake',
    word: 'pause',
    danger: true,
    run: async () => {
      await write<Intake>('PUT', 'store/intake', {open: false, reason: reason.trim(), minutes: Number(minutes)});
      setReason('');
      done();
      return 'The intake is paused.';
    }
  });
  if (!intake.open) {
    return (
      <Note tone="warn" title="The intake is paused">
        <p>By {intake.by}: {intake.reason}. Since <Time at={intake.since} /> UTC; it opens by itself at <Time at={intake.until} /> UTC.</p>
        {can('operator') && <p><Button kind="primary" onClick={() => resumeIntake(done)}>Resume…</Button></p>}
      </Note>
    );
  }
  return (
    <>
      <p><Badge tone="good">Writes are taken</Badge></p>
      {can('operator') && (
        <form class="form" onSubmit={event => { event.preventDefault(); if (reason.trim()) pause(); }}>
          <Text label="Reason for a pause" value={reason} onInput={setReason} maxLength={200} hint="Clients are told it, and it stands in the audit log." />
          <Select label="It ends by itself after" value={minutes} onChange={setMinutes} options={['1', '5', '10', '30', '60'].map(each => [each, count(Number(each), 'minute')])} />
          <div class="row"><Button type="submit" kind="danger" disabled={!reason.trim()}>Pause…</Button>{!reason.trim() && <span class="quiet">A pause needs a reason.</span>}</div>
        </form>
      )}
    </>
  );
}

function Result({of}: {of: Verification}): JSX.Element {
  const states = {running: 'runs', done: of.differences === 0 ? 'found nothing' : `found ${count(of.differences, 'difference')}`, stopped: 'was stopped', failed: 'failed'};
  const tone = of.state === 'failed' || of.differences > 0 ? 'bad' : of.state === 'done' ? 'good' : 'off';
  return (
    <>
      <p class="row wide">
        <Badge tone={tone}>Verification {of.id} {states[of.state]}</Badge>
        <span class="quiet">by {of.by}, began <Time at={of.startedAt} /> UTC{of.endedAt && <>, ended <Time at={of.endedAt} /> UTC</>}</span>
      </p>
      {of.state === 'running' && (
        <div class="stack">
          <Progress share={of.share} label="Verification" />
          <p class="quiet"><span class="num">{percent(of.share, 0)}</span>, checking {of.part}</p>
        </div>
      )}
      {of.error && <Note tone="bad"><p>{of.error}</p></Note>}
      {of.results.length > 0 && (
        <DataTable caption="What was checked" file="checks" rows={of.results} id={each => each.name} sortName="checks" empty={<></>}
          columns={[
            {head: 'Check', cell: each => <Name of={each.name} />, by: each => each.name},
            {head: 'Promise', cell: each => each.promise},
            {head: 'Differences', as: 'n', cell: each => (each.differences > 0 ? <Badge tone="bad">{whole(each.differences)}</Badge> : '0'), by: each => each.differences},
            {head: 'Examples', cell: each => (each.examples.length > 0 ? <ul>{each.examples.map(example => <li key={example}><Name of={example} /></li>)}</ul> : <span class="quiet">–</span>)}
          ]} />
      )}
    </>
  );
}

function Verifying(): JSX.Element {
  const {data, error, reload, put} = useLive<{verification: Verification | null}>('store/verifications/latest', 'verification');
  const last = data.value?.verification ?? null;
  const running = last?.state === 'running';
  const start = (): void => ask({
    title: 'Verify now',
    body: <p>Totals, balances, numbers and outcomes are worked out anew from the facts and compared. It reads a lot, and can be stopped.</p>,
    verb: 'Verify',
    run: async () => {
      put({verification: await write<Verification>('POST', 'store/verifications')});
      return 'The verification runs.';
    }
  });
  const stop = (): void => ask({
    title: 'Stop the verification',
    body: <p>What was checked so far stays to be seen; nothing was changed.</p>,
    verb: 'Stop it',
    run: async () => {
      await write('DELETE', 'store/verifications/latest');
      reload();
      return 'The verification stops.';
    }
  });
  return (
    <Section title="Verification" lead="Compares what is stored with what the facts come to. It changes nothing."
      actions={can('operator') && (running ? <Button onClick={stop}>Stop…</Button> : <Button onClick={start}>Verify now…</Button>)}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {last ? <Result of={last} /> : data.value && (
        <Empty what="No verification has run since the server started.">
          {can('operator') ? 'Start one with “Verify now”.' : 'An operator can start one.'} <code>credence verify</code> does the same from a timer.
        </Empty>
      )}
    </Section>
  );
}

function Standbys({of}: {of: Replication}): JSX.Element {
  const short = of.there !== null && of.there < of.needed;
  return (
    <Section title="Replication" lead="Standbys of PostgreSQL, as the database tells of them. Where commits wait for some, an acknowledged write is on those, too.">
      {of.hidden && <Note tone="warn"><p>The server&apos;s role may not see states and lags of standbys: <code>GRANT pg_read_all_stats</code> to it.</p></Note>}
      <Stats label="Figures of the replication" of={[
        {label: 'A commit waits for', value: of.needed === 0 ? 'none' : count(of.needed, 'standby')},
        {label: 'Of these stream', value: of.there === null ? '–' : whole(of.there), tone: short ? 'bad' : undefined},
        {label: 'Timeline', value: whole(of.timeline), note: of.inRecovery ? <>a standby was asked</> : undefined}
      ]} />
      <DataTable caption="Standbys that are connected" file="standbys" rows={of.standbys} id={each => each.name} sortName="standbys" empty={<Empty what="No standby is connected.">What is stored is on one machine alone.</Empty>}
        columns={[
          {head: 'Standby', cell: each => <Name of={each.name} />, by: each => each.name},
          {head: 'State', cell: each => (each.state === null ? '–' : <Badge tone={each.state === 'streaming' ? 'good' : 'warn'}>{each.state}</Badge>)},
          {head: 'Counts as', cell: each => each.syncState ?? '–'},
          {head: 'Behind', as: 'n', cell: each => <Fixed width={9}>{each.lagBytes === null ? '–' : bytes(each.lagBytes)}</Fixed>},
          {head: 'Lag', as: 'n', cell: each => <Fixed width={9}>{each.lagSeconds === null ? '–' : millis(each.lagSeconds * 1000)}</Fixed>}
        ]} />
    </Section>
  );
}

const ago = (at: number | null): JSX.Element => (at === null ? <>not known</> : <Time at={at} age />);

const weekMs = 7 * dayMs;

/** How much room there is, and how fast it is taken. */
function Room({disk}: {disk: DatabaseActivity['disk']}): JSX.Element {
  const [until] = useState(() => Math.floor(Date.now() / 60_000) * 60_000);
  const {data, error, reload} = useResource<History>(at(['overview', 'history'], {from: until - weekMs, to: until}));
  const sizes = (data.value?.values ?? []).flatMap(each => (each.databaseBytes === null ? [] : [{at: each.at, bytes: each.databaseBytes}]));
  const [first, last] = [sizes[0], sizes[sizes.length - 1]];
  const grown = first && last ? last.bytes - first.bytes : null;
  return (
    <Section title="Room" lead={<>The <a href={href(['history'], {last: '14d'})}>history</a> has the growth over time.</>}>
      {error.value && <Failed error={error.value} retry={reload} />}
      <Stats label="Room" of={[
        {label: 'Database', value: bytes(last?.bytes), note: 'on its disk'},
        {label: 'Grown by', value: grown === null ? '–' : `${grown < 0 ? '−' : ''}${bytes(Math.abs(grown))}`, note: first && last ? `in ${seconds((last.at - first.at) / 1000)}` : 'not known yet'},
        {label: 'Free for data_dir', value: disk ? bytes(disk.sizeBytes - disk.usedBytes) : '–', note: disk ? <>of {bytes(disk.sizeBytes)}; PostgreSQL may have another disk</> : 'not known'}
      ]} />
    </Section>
  );
}

const parts = ['Writer', 'Intake', 'Backups and checks', 'Verification', 'Room', 'Under way in PostgreSQL', 'Slow statements', 'Connections', 'Shards', 'Sizes', 'Migrations'];

function Activity(): JSX.Element {
  const {data, error, reload} = useResource<DatabaseActivity>('store/activity', 5);
  const now = data.value;
  return (
    <>
      <Section title="Backups and checks" lead="As their units on this machine tell; what another machine does is not known here.">
        {error.value && <Failed error={error.value} retry={reload} />}
        {now && (
          <Stats label="Backups and checks" of={[
            {label: 'Last backup', value: ago(now.backupAt)},
            {label: 'Log archived', value: ago(now.archivedAt), note: 'the last piece'},
            {label: 'Last verified', value: ago(now.verifiedAt)}
          ]} />
        )}
      </Section>
      <Verifying />
      {now && (
        <>
          <Room disk={now.disk} />
          <Section title="Under way in PostgreSQL" lead="Open transactions, the oldest first, with the locks that they wait for.">
            <DataTable caption="Open transactions" file="transactions" rows={now.underWay} id={each => each.pid} sortName="transactions" empty={<Empty what="No transaction is open." />}
              columns={[
                {head: 'Process', as: 'n', cell: each => each.pid, by: each => each.pid},
                {head: 'Of', cell: each => <Name of={each.application} />, by: each => each.application},
                {head: 'For', as: 'n', cell: each => millis(each.seconds * 1000), by: each => each.seconds},
                {head: 'State', cell: each => (each.blockedBy ? <Badge tone="bad">blocked by {each.blockedBy}</Badge> : <Badge tone={each.state === 'active' ? 'good' : 'warn'}>{each.state}</Badge>)},
                {head: 'Waits for', cell: each => each.waitsFor ?? '–'},
                {head: 'Statement', cell: each => <Name of={each.text} />}
              ]} />
          </Section>
          <Section title="Slow statements" lead="By the time that they took in all, since pg_stat_statements began to count.">
            {now.slow
              ? (
                <DataTable caption="Statements by their time in all" file="statements" rows={now.slow.map((each, i) => ({...each, i}))} id={each => each.i} sortName="statements" empty={<Empty what="Nothing was counted yet." />}
                  columns={[
                    {head: 'Statement', cell: each => <Name of={each.text} />},
                    {head: 'Calls', as: 'n', cell: each => whole(each.calls), by: each => each.calls},
                    {head: 'In all', as: 'n', cell: each => millis(each.totalMs), by: each => each.totalMs},
                    {head: 'One', as: 'n', cell: each => millis(each.meanMs), by: each => each.meanMs},
                    {head: 'Rows', as: 'n', cell: each => whole(each.rows), by: each => each.rows}
                  ]} />
              )
              : <Empty what="PostgreSQL does not count statements.">Put pg_stat_statements into <code>shared_preload_libraries</code>, restart PostgreSQL, and run <code>CREATE EXTENSION pg_stat_statements</code> in this database as a superuser.</Empty>}
          </Section>
          <Section title="Connections">
            <DataTable caption="Connections to the database" file="connections" rows={now.connections} id={each => `${each.application} ${each.state}`} sortName="connections" empty={<Empty what="Nobody is connected." />}
              columns={[
                {head: 'Of', cell: each => <Name of={each.application || 'no name'} />, by: each => each.application},
                {head: 'State', cell: each => each.state, by: each => each.state},
                {head: 'Number', as: 'n', cell: each => whole(each.count), by: each => each.count}
              ]} />
          </Section>
        </>
      )}
    </>
  );
}

export function StorePage(): JSX.Element {
  const {data, error, reload} = useLive<Store>('store', 'store');
  const store = data.value;
  return (
    <Page title="Store" lead="PostgreSQL and the writer in front of it; what comes from a chain has a writer of its own. An answer never runs ahead of its commit.">
      <Contents of={parts} />
      {error.value && <Failed error={error.value} retry={reload} />}
      {store && (
        <>
          <Section title="Writer">
            {store.writer.trouble && (
              <Note tone="bad" title="Nothing can be written">
                <p>The last error, <Time at={store.writer.trouble.at} age />: {store.writer.trouble.sqlstate && <code>{store.writer.trouble.sqlstate}</code>} {store.writer.trouble.error}</p>
              </Note>
            )}
            <Stats label="Figures of the writer" of={figures(store.writer)} />
          </Section>
          {store.replication && <Standbys of={store.replication} />}
          <Section title="Intake"><IntakeControl intake={store.intake} done={reload} /></Section>
        </>
      )}
      <Activity />
      {store && !store.shards && <Empty what="The database does not tell of shards, sizes and migrations.">They are here again as soon as it does.</Empty>}
      {store?.shards && store.database && store.tables && store.migrations && (
        <>
          <Section title="Shards">
            <DataTable caption="Shards" file="shards" rows={store.shards} id={each => each.shard} sortName="shards" empty={<Empty what="No shard is owned.">The server takes them over when it starts.</Empty>}
              columns={[
                {head: 'Shard', cell: each => each.shard},
                {head: 'Owner', cell: each => <Name of={each.owner} />},
                {head: 'Epoch', as: 'n', cell: each => whole(each.epoch)},
                {head: 'Batches', as: 'n', cell: each => <Fixed width={8}>{whole(each.batches)}</Fixed>},
                {head: 'Last batch', as: 'n', cell: each => <Fixed width={9}>{whole(each.lastSequence)}</Fixed>},
                {head: 'Last global number', as: 'n', cell: each => <Fixed width={9}>{whole(each.lastNumber)}</Fixed>}
              ]} />
          </Section>
          <Section title="Sizes" lead={<>PostgreSQL {store.database.version}, {bytes(store.database.bytes)} in all. Rows are as PostgreSQL estimates.</>}>
            <DataTable caption="Tables, the largest first" file="tables" rows={store.tables} id={each => each.name} sortName="tables" empty={<Empty what="There are no tables.">Run credence migrate up.</Empty>}
              columns={[
                {head: 'Table', cell: each => <Name of={each.name} />, by: each => each.name},
                {head: 'Rows', as: 'n', cell: each => whole(each.rows), by: each => each.rows},
                {head: 'Size', as: 'n', cell: each => bytes(each.bytes), by: each => each.bytes},
                {head: 'Indexes', as: 'n', cell: each => bytes(each.indexBytes), by: each => each.indexBytes}
              ]} />
          </Section>
          <Section title="Migrations">
            <DataTable caption="Migrations" file="migrations" rows={[...store.migrations].reverse()} id={each => each.version} sortName="migrations" empty={<Empty what="No migration is known." />}
              columns={[
                {head: 'Version', as: 'fit', cell: each => each.version, by: each => each.version},
                {head: 'Name', cell: each => each.name},
                {head: 'State', cell: each => <Badge tone={each.state === 'applied' ? 'good' : each.state === 'pending' ? 'warn' : 'bad'}>{each.state}</Badge>, by: each => each.state}
              ]} />
          </Section>
        </>
      )}
    </Page>
  );
}
