import type {JSX} from 'preact';
import {useState} from 'preact/hooks';
import {at, write} from '../lib/api';
import type {Actor, ActorChange, ActorFigure, ActorKind, Actors, BusiestActors, InspectedActor} from '../lib/contract';
import {millis, rate, whole, words} from '../lib/format';
import {useLive} from '../lib/live';
import {useResource} from '../lib/resource';
import {go, href, param, place} from '../lib/router';
import {can} from '../lib/session';
import {Badge, Button, Empty, Failed, Fixed, Name, Page, Pairs, Section, Stats, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {Select, Text} from '../ui/fields';
import {DataTable} from '../ui/table';

type Tone = 'good' | 'warn' | 'off';
const tones: Record<Actor['phase'], Tone> = {live: 'good', stopping: 'warn', settling: 'warn', waiting_to_retry: 'warn', absent: 'off'};
const phases: Record<Actor['phase'], string> = {
  live: 'in memory', stopping: 'stopping', settling: 'settling its last writes', waiting_to_retry: 'waits to be loaded again', absent: 'not in memory'
};

function Phase({of}: {of: Actor}): JSX.Element {
  return <Badge tone={tones[of.phase]}>{phases[of.phase]}</Badge>;
}

function LookUp({kinds}: {kinds: string[]}): JSX.Element {
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    const key = typed.trim();
    if (/^[a-z_]+:\d+$/.test(key)) go(href(['actors', key]));
    else setWrong(`An actor is named by its kind and id, such as ${kinds[0] ?? 'project'}:7.`);
  };
  return (
    <form class="form" onSubmit={submit} novalidate>
      <Text label="Kind and id" placeholder="project:7" value={typed} wrong={wrong} mono
        hint={kinds.length > 0 ? `Kinds: ${kinds.join(', ')}.` : undefined} onInput={value => { setTyped(value); setWrong(''); }} />
      <div class="row"><Button type="submit">Look up</Button></div>
    </form>
  );
}

function Busiest({kinds}: {kinds: string[]}): JSX.Element {
  const kind = kinds.includes(param('kind')) ? param('kind') : kinds.includes('project') ? 'project' : kinds[0] ?? '';
  const {data, error, reload} = useResource<BusiestActors>(kind ? at(['actors', 'busiest'], {kind, limit: 20}) : null, 5);
  return (
    <Section title="The busiest" lead="Who was asked most in its present life; read anew every five seconds."
      actions={<Select label="Kind" value={kind} options={kinds.map(each => [each, words(each)])} onChange={value => go(href(['actors'], {kind: value}))} />}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && (
        <DataTable caption={`The busiest actors of the kind ${words(kind)}`} file={`busiest-${kind}`} rows={data.value.values} id={each => each.key} sortName="busiest"
          empty={<Empty what={`No ${words(kind)} is in memory.`}>An actor is loaded when it is first asked.</Empty>}
          columns={[
            {head: 'Actor', cell: each => <a href={href(['actors', each.key])}><Name of={each.key} /></a>},
            {head: 'State', cell: each => <Phase of={each} />},
            {head: 'Messages', as: 'n', cell: each => whole(each.messages), by: each => each.messages},
            {head: 'Waiting', as: 'n', cell: each => whole(each.waiting), by: each => each.waiting},
            {head: 'Failures', as: 'n', cell: each => whole(each.failures), by: each => each.failures},
            {head: 'Last message', as: 'n', cell: each => <Time at={each.lastMessageAt} age />, by: each => each.lastMessageAt}
          ]} />
      )}
    </Section>
  );
}

function Kinds({values}: {values: ActorKind[]}): JSX.Element {
  return (
    <DataTable caption="Actors by kind" file="actors" rows={values} id={each => each.kind}
      empty={<Empty what="No actors are counted yet.">They are once the server has started up.</Empty>}
      columns={[
        {head: 'Kind', cell: each => (each.perEntity ? <a href={href(['actors'], {kind: each.kind})}>{words(each.kind)}</a> : words(each.kind)), by: each => each.kind},
        {head: 'Live', as: 'n', cell: each => whole(each.live), by: each => each.live},
        {head: 'Handled', as: 'n', cell: each => <Fixed width={7}>{rate(each.handledPerSecond)}/s</Fixed>, by: each => each.handledPerSecond},
        {head: 'Waiting', as: 'n', cell: each => <Fixed width={4}>{whole(each.waiting)}</Fixed>, by: each => each.waiting},
        {head: 'Longest wait', as: 'n', cell: each => <Fixed width={8}>{millis(each.oldestWaitMs)}</Fixed>, by: each => each.oldestWaitMs},
        {head: 'Handling p50', as: 'n', cell: each => <Fixed width={8}>{millis(each.handlingP50Ms)}</Fixed>, by: each => each.handlingP50Ms},
        {head: 'p99', as: 'n', cell: each => <Fixed width={8}>{millis(each.handlingP99Ms)}</Fixed>, by: each => each.handlingP99Ms},
        {head: 'Restarts', as: 'n', cell: each => (each.restarts > 0 ? <Badge tone="warn">{whole(each.restarts)}</Badge> : '0'), by: each => each.restarts},
        {head: 'Turned away', as: 'n', cell: each => whole(each.refusedFull), by: each => each.refusedFull},
        {head: 'Started', as: 'n', cell: each => whole(each.spawned), by: each => each.spawned},
        {head: 'Left idle', as: 'n', cell: each => whole(each.stoppedIdle), by: each => each.stoppedIdle}
      ]} />
  );
}

export function ActorsPage(): JSX.Element {
  const key = place.value.path[1];
  return key ? <OneActor key={key} name={key} /> : <AllActors />;
}

function AllActors(): JSX.Element {
  const {data, error, reload} = useLive<Actors>('actors', 'actors');
  const kinds = (data.value?.values ?? []).filter(each => each.perEntity).map(each => each.kind);
  return (
    <Page title="Actors" lead="Every project, profile and market that is in use has an actor in memory, which alone decides on it.">
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && <Section title="Kinds"><Kinds values={data.value.values} /></Section>}
      {kinds.length > 0 && <Busiest kinds={kinds} />}
      {kinds.length > 0 && <Section title="Look one up"><LookUp kinds={kinds} /></Section>}
    </Page>
  );
}

function actOn(name: string, act: 'reload' | 'stop', done: () => void): void {
  const reload = act === 'reload';
  ask({
    title: reload ? `Reload ${name}` : `Stop ${name}`,
    body: reload
      ? <p>It finishes what is under way, and starts afresh from committed rows. Whoever waits is answered.</p>
      : <p>It finishes what is under way and leaves memory. The next question loads it again, which takes longer than usual.</p>,
    verb: reload ? 'Reload it' : 'Stop it',
    word: name,
    danger: !reload,
    run: async () => {
      await write<Actor>('POST', at(['actors', name, act]));
      done();
      return reload ? `${name} starts afresh.` : `${name} leaves memory.`;
    }
  });
}

/** Where what an actor decides on can be seen. */
const records: Record<string, {kind: string; what: string}> = {
  project: {kind: 'projects', what: 'The project with its votes'},
  profile: {kind: 'people', what: 'The person with this profile'},
  funds: {kind: 'people', what: 'The person whose money it is'},
  market: {kind: 'markets', what: 'The market'}
};

function Figure({of}: {of: ActorFigure}): JSX.Element {
  if (of.value === null) return <span class="quiet">not read</span>;
  if (typeof of.value === 'boolean') return <>{of.value ? 'yes' : 'no'}</>;
  if (typeof of.value === 'number') return <span class="num">{whole(of.value)}</span>;
  return /^\d+$/.test(of.value) ? <span class="num">{whole(of.value)}&nbsp;wei</span> : <>{of.value}</>;
}

const fates: Record<ActorChange['fate'], {tone: Tone | 'bad'; name: string}> = {
  under_way: {tone: 'off', name: 'under way'}, committed: {tone: 'good', name: 'committed'}, refused: {tone: 'bad', name: 'refused'},
  given_up: {tone: 'warn', name: 'given up'}
};

/** What the actor says of itself. */
function Inside({of}: {of: InspectedActor}): JSX.Element {
  if (of.state === null || of.changes === null) return <Empty what={`${of.key} did not answer within half a second.`}>It is being loaded, or has much to do.</Empty>;
  return (
    <>
      <Section title="What it holds" lead="As it is in memory; what the database has not confirmed is told apart.">
        {of.state.length > 0
          ? <div class="panel"><Pairs of={of.state.map(each => [words(each.name), <Figure of={each} />])} /></div>
          : <Empty what="It holds nothing.">There is no such record, or it could not be read.</Empty>}
      </Section>
      <Section title="Its last changes" lead="Those that it sent to the database in its present life, newest first.">
        <DataTable caption={`The last changes of ${of.key}`} file="changes" rows={of.changes} id={each => each.number}
          empty={<Empty what="It has sent none.">Reading leaves nothing here.</Empty>}
          columns={[
            {head: 'Number', as: 'n', cell: each => whole(each.number)},
            {head: 'Change', cell: each => <Name of={each.fact} />},
            {head: 'Sent (UTC)', cell: each => <Time at={each.at} fraction />},
            {head: 'Outcome', cell: each => <Badge tone={fates[each.fate].tone}>{fates[each.fate].name}</Badge>}
          ]} />
      </Section>
    </>
  );
}

function OneActor({name}: {name: string}): JSX.Element {
  const {data, error, reload} = useLive<InspectedActor>(at(['actors', name]), `actor:${name}`);
  const actor = data.value;
  const [kind = '', id = ''] = name.split(':');
  const record = records[kind];
  return (
    <Page title={<code>{name}</code>} lead={<a href={href(['actors'])}>All actors</a>}
      actions={actor && <><Phase of={actor} />{can('operator') && actor.phase !== 'absent' && (
        <>
          <Button onClick={() => actOn(name, 'reload', reload)}>Reload…</Button>
          <Button kind="danger" onClick={() => actOn(name, 'stop', reload)}>Stop…</Button>
        </>
      )}</>}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {actor && actor.phase === 'absent' && <Empty what={`${name} is not in memory.`}>Nobody has asked for it lately. Looking does not load it; the next question does.</Empty>}
      {actor && actor.phase !== 'absent' && (
        <Stats label={`Figures of ${name}`} of={[
          {label: 'Messages', value: whole(actor.messages), note: 'in its present life'},
          {label: 'Waiting', value: whole(actor.waiting), note: 'questions'},
          {label: 'Failures', value: whole(actor.failures), note: 'lately'},
          {label: 'Last message', value: <Time at={actor.lastMessageAt} age />}
        ]} />
      )}
      {actor && actor.phase !== 'absent' && <Inside of={actor} />}
      {actor && record && <p><a href={href(['records', record.kind, id])}>{record.what}</a></p>}
    </Page>
  );
}
