import type {JSX} from 'preact';
import {useState} from 'preact/hooks';
import {ApiError, at, write} from '../lib/api';
import type {Advance, Period, Periods} from '../lib/contract';
import {periodLength, whole} from '../lib/format';
import {now} from '../lib/clock';
import {useLive} from '../lib/live';
import {can} from '../lib/session';
import {bestMatches} from '../lib/take';
import {Badge, Button, Empty, Failed, Note, Page, Pairs, Section, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {DataTable} from '../ui/table';

const name = (period: Period): string => `${period.year}/${period.number}`;

function Dry({result}: {result: Advance}): JSX.Element {
  return (
    <div class="panel">
      <Pairs of={[
        ['Closes', <>{name(result.closes)}, which began <Time at={result.closes.startsAt} /> UTC</>],
        ['Opens', <>{name(result.opens)}, planned until <Time at={result.opens.endsAt} /> UTC</>],
        ['Profiles that get votes', <span class="num">{whole(result.usersAffected)}</span>],
        ['Allocations made', <span class="num">{whole(result.allocationsCreated)}</span>],
        ['Votes allocated in all', <span class="num">{whole(result.totalVotesAllocated)}</span>]
      ]} />
    </div>
  );
}

function Advancing({open, done}: {open: Period; done: () => void}): JSX.Element {
  const [dry, setDry] = useState<Advance | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const order = {confirm: name(open)};

  const tryDry = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      setDry(await write<Advance>('POST', at(['periods', 'advance'], {dryRun: true}), order));
    } catch (why) {
      setError(ApiError.from(why));
    }
    setBusy(false);
  };
  const advance = (of: Advance): void => ask({
    title: `Close ${name(of.closes)} and open ${name(of.opens)}`,
    body: (
      <>
        <p>Votes in {name(of.closes)} end at once. {whole(of.usersAffected)} profiles may vote anew on every active project. This cannot be undone.</p>
        <Dry result={of} />
      </>
    ),
    verb: 'Advance the period',
    word: name(of.closes),
    danger: true,
    run: async () => {
      const made = await write<Advance>('POST', 'periods/advance', order);
      setDry(null);
      done();
      return `${name(made.opens)} is open. ${whole(made.allocationsCreated)} allocations were made.`;
    }
  });

  return (
    <Section title="Advance to the next period" lead="The dry run counts what an advance would do now, and changes nothing.">
      <div class="row">
        <Button onClick={() => void tryDry()} disabled={busy}>{busy ? 'Counting…' : dry ? 'Dry run again' : 'Dry run'}</Button>
        <Button kind="danger" disabled={!dry} onClick={() => dry && advance(dry)}>Advance…</Button>
        {!dry && <span class="quiet">A dry run comes first.</span>}
      </div>
      {error && <Failed error={error} />}
      {dry && <Dry result={dry} />}
    </Section>
  );
}

export function PeriodsPage(): JSX.Element {
  const {data, error, reload} = useLive<Periods>('periods', 'periods');
  const periods = data.value;
  const open = periods?.values.find(each => each.closedAt === null && each.startsAt <= now.value + 1000) ?? periods?.values.find(each => each.closedAt === null);
  return (
    <Page title="Voting periods" lead="One period is open at a time. Opening one gives every live profile a vote on every project.">
      {error.value && <Failed error={error.value} retry={reload} />}
      {periods && (
        <>
          <Note tone="">
            <p>{periods.advance === 'monthly'
              ? 'The server advances by itself at the planned end (actors.period_advance is monthly).'
              : 'Nothing advances by itself (actors.period_advance is manual): an admin does.'}</p>
          </Note>
          {open && can('admin') && <Advancing key={open.id} open={open} done={reload} />}
          <Section title="Periods">
            <DataTable
              caption={`${periods.values.length} of ${periods.total} periods, newest first`}
              rows={periods.values} id={each => each.id} file="periods" all={() => bestMatches(['periods'], {})}
              empty={<Empty what="There is no period yet.">The server opens the first one when it starts.</Empty>}
              columns={[
                {head: 'Period', cell: each => name(each), by: each => each.year * 1000 + each.number},
                {head: 'State', cell: each => (each.closedAt === null ? <Badge tone="good">open</Badge> : <Badge tone="off">closed</Badge>)},
                {head: 'Began (UTC)', cell: each => <Time at={each.startsAt} />, by: each => each.startsAt},
                {head: 'Planned end (UTC)', cell: each => <Time at={each.endsAt} />, by: each => each.endsAt},
                {head: 'Planned for', cell: each => periodLength(each.startsAt, each.endsAt), by: each => each.endsAt - each.startsAt},
                {head: 'Closed (UTC)', cell: each => <Time at={each.closedAt} />, by: each => each.closedAt},
                {head: 'Live profiles', as: 'n', cell: each => whole(each.liveProfiles), by: each => each.liveProfiles},
                {head: 'Active projects', as: 'n', cell: each => whole(each.activeProjects), by: each => each.activeProjects}
              ]} />
          </Section>
        </>
      )}
    </Page>
  );
}
