import type {JSX} from 'preact';
import {write} from '../lib/api';
import type {Chain, FailedEvent} from '../lib/contract';
import {count, whole} from '../lib/format';
import {useLive} from '../lib/live';
import {useResource} from '../lib/resource';
import {can} from '../lib/session';
import {Badge, Button, Empty, Failed, Fixed, Name, Note, Page, Section, Stats} from '../ui/basics';
import {ask} from '../ui/dialog';
import {DataTable} from '../ui/table';

const states: Record<string, {text: string; tone: 'good' | 'warn' | 'bad'}> = {
  starting: {text: 'starting', tone: 'warn'},
  backfill: {text: 'catching up', tone: 'warn'},
  following: {text: 'following', tone: 'good'},
  unavailable: {text: 'no node answers', tone: 'bad'},
  halted: {text: 'halted', tone: 'bad'},
  replaying: {text: 'replaying', tone: 'warn'}
};

function Block({of}: {of: number | null}): JSX.Element {
  return <Fixed width={9}>{whole(of)}</Fixed>;
}

function FailedEvents(): JSX.Element {
  const {data, error, reload} = useResource<{values: FailedEvent[]}>('chain/failed', 15);
  const retry = (): void => ask({
    title: 'Read failed texts again',
    body: <p>Texts, bonds and inviters that could not be read from the contracts are tried anew. Events themselves are not touched.</p>,
    verb: 'Try them again',
    run: async () => {
      await write('POST', 'chain/texts/retry');
      reload();
      return 'Failed texts are tried again.';
    }
  });
  const reprocess = (): void => ask({
    title: 'Try failed events again',
    body: (
      <p>The follower reads and applies them anew, behind all that is there; what later events have changed stays as it is. Blocks that are not
        final are taken back first and stored again then, so what they brought is gone for some seconds, and keys and sessions of profiles that
        joined in them end.</p>
    ),
    verb: 'Try them again',
    word: 'reprocess',
    danger: true,
    run: async () => {
      const {triedAgain} = await write<{triedAgain: number}>('POST', 'chain/reprocess');
      reload();
      return `${count(triedAgain, 'event')} ${triedAgain === 1 ? 'is' : 'are'} tried again.`;
    }
  });
  return (
    <Section title="Failed events" lead="Events that could not be turned into records, by reason."
      actions={(
        <>
          {can('operator') && <Button onClick={retry}>Read failed texts again…</Button>}
          {can('admin') && <Button kind="danger" onClick={reprocess}>Try failed events again…</Button>}
        </>
      )}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && (
        <DataTable caption="Failed events, the most frequent first" file="failed-events" rows={data.value.values} id={each => `${each.contract} ${each.event} ${each.reason}`} sortName="failed"
          empty={<Empty what="No event has failed.">Everything that the contracts told was understood.</Empty>}
          columns={[
            {head: 'Contract', cell: each => <Name of={each.contract} />, by: each => each.contract},
            {head: 'Event', cell: each => <Name of={each.event} />, by: each => each.event},
            {head: 'Reason', cell: each => each.reason, by: each => each.reason},
            {head: 'Events', as: 'n', cell: each => whole(each.events), by: each => each.events},
            {head: 'Last id', as: 'n', cell: each => each.lastId, by: each => each.lastId}
          ]} />
      )}
    </Section>
  );
}

function Followed({chain}: {chain: Chain}): JSX.Element {
  return (
    <>
      {chain.why && <Note tone={states[chain.state ?? '']?.tone ?? 'warn'}><p>{chain.why}</p></Note>}
      <Section title="Blocks">
        <Stats label="Blocks" of={[
          {label: 'Stored', value: <Block of={chain.stored} />, note: <>{whole(chain.lagBlocks)} behind the head</>},
          {label: 'Head of the node', value: <Block of={chain.head} />},
          {label: 'Safe', value: <Block of={chain.safe} />},
          {label: 'Final', value: <Block of={chain.finalized} />},
          {label: 'Rights rest on', value: <Block of={chain.authority} />},
          {label: 'Nodes', value: whole(chain.endpoints), tone: chain.endpointsWrong > 0 ? 'warn' : undefined, note: chain.endpointsWrong > 0 ? `${chain.endpointsWrong} not believed` : 'all believed'},
          {label: 'Reorganisations', value: whole(chain.reorganisations)},
          {label: 'Failed events', value: whole(chain.failed), tone: chain.failed > 0 ? 'warn' : undefined}
        ]} />
      </Section>
      <FailedEvents />
      <Section title="Events">
        <DataTable caption="Events by contract and kind" file="events" rows={chain.events} id={each => `${each.contract} ${each.event}`}
          empty={<Empty what="No event has come yet.">They appear here as the contracts emit them.</Empty>}
          columns={[
            {head: 'Contract', cell: each => <Name of={each.contract} />, by: each => each.contract},
            {head: 'Event', cell: each => <Name of={each.event} />, by: each => each.event},
            {head: 'Applied', as: 'n', cell: each => whole(each.applied), by: each => each.applied},
            {head: 'Ignored', as: 'n', cell: each => whole(each.ignored), by: each => each.ignored},
            {head: 'Failed', as: 'n', cell: each => (each.failed > 0 ? <Badge tone="bad">{whole(each.failed)}</Badge> : '0'), by: each => each.failed}
          ]} />
      </Section>
    </>
  );
}

export function ChainPage(): JSX.Element {
  const {data, error, reload} = useLive<Chain>('chain', 'chain');
  const chain = data.value;
  const state = states[chain?.state ?? ''];
  return (
    <Page title="Chain" lead="How far the contracts’ events are stored, and what became of them."
      actions={chain?.followed && <>{state && <Badge tone={state.tone}>{state.text}</Badge>}{chain.chainId !== null && <span class="quiet">chain {chain.chainId}</span>}</>}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {chain && !chain.followed && <Empty what="This server follows no chain.">Name a node in <code>chain.endpoints</code> and the contracts in <code>chain.contracts</code>, and start it again. docs/operating.md tells how.</Empty>}
      {chain?.followed && <Followed chain={chain} />}
    </Page>
  );
}
