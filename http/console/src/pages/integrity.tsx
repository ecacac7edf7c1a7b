import type {JSX} from 'preact';
import {write} from '../lib/api';
import type {Analysis, Finding} from '../lib/contract';
import {count, percent, whole} from '../lib/format';
import {useLive} from '../lib/live';
import {href, hrefWith, param, place} from '../lib/router';
import {can} from '../lib/session';
import {Badge, Button, Empty, Failed, Fixed, Note, Page, Progress, Section, Tabs, Time} from '../ui/basics';
import {ask} from '../ui/dialog';
import {DataTable} from '../ui/table';
import {People, RingsPage} from './rings';

type Kind = 'groups' | 'reciprocal' | 'bursts' | 'sameSecond' | 'fresh';
const kinds: Array<{kind: Kind; title: string; about: string; none: string}> = [
  {kind: 'groups', title: 'Groups', about: 'Profiles whose votes go together in several ways at once. Look here first.', none: 'No group of profiles votes together in several ways.'},
  {kind: 'reciprocal', title: 'Reciprocal', about: 'Profiles that vote for each other, far more than chance would have it.', none: 'Nobody votes back and forth beyond chance.'},
  {kind: 'bursts', title: 'Bursts', about: 'Many votes on one project within moments.', none: 'No project was voted on in a burst.'},
  {kind: 'sameSecond', title: 'Same second', about: 'Profiles that vote within the same second, again and again.', none: 'No profiles share their seconds again and again.'},
  {kind: 'fresh', title: 'Fresh accounts', about: 'Young profiles that vote alike.', none: 'No fresh profiles vote alike.'}
];

function Evidence({of}: {of: Finding}): JSX.Element {
  return (
    <Section title={`Evidence: ${of.summary}`} lead={<People of={of.profiles} most={200} />}
      actions={<a class="button small" href={hrefWith({finding: undefined})}>Close</a>}>
      <DataTable caption="Evidence" file="evidence" rows={of.evidence.map((each, i) => ({...each, i}))} id={each => each.i} sortName="evidence" empty={<Empty what="No single votes are named." />}
        columns={[
          {head: 'What', cell: each => each.text},
          {head: 'Project', cell: each => (each.projectId ? <a href={href(['records', 'projects', each.projectId])}>project {each.projectId}</a> : <span class="quiet">–</span>), by: each => each.projectId},
          {head: 'When (UTC)', cell: each => <Time at={each.at} fraction />, by: each => each.at}
        ]} />
    </Section>
  );
}

function Findings({analysis, kind}: {analysis: Analysis; kind: (typeof kinds)[number]}): JSX.Element {
  const rows = analysis[kind.kind];
  const chosen = rows.find(each => each.id === param('finding'));
  return (
    <>
      <Section title={kind.title} lead={kind.about}>
        <DataTable caption={kind.title} file={`findings-${kind.kind}`} rows={rows} id={each => each.id}
          empty={<Empty what={kind.none}>It was looked for among the votes up to <Time at={analysis.foundAt} /> UTC.</Empty>}
          columns={[
            {head: 'What was found', cell: each => <a href={hrefWith({finding: each.id})} aria-current={each.id === chosen?.id ? 'true' : undefined}>{each.summary}</a>},
            {head: 'Confidence', as: 'n', cell: each => <Badge tone={each.confidence >= 0.9 ? 'bad' : each.confidence >= 0.6 ? 'warn' : 'off'}><Fixed width={5}>{percent(each.confidence, 0)}</Fixed></Badge>, by: each => each.confidence},
            {head: 'Profiles', as: 'n', cell: each => whole(each.size), by: each => each.size},
            {head: 'Who', cell: each => <People of={each.profiles} />},
            {head: 'First (UTC)', cell: each => <Time at={each.firstAt} />, by: each => each.firstAt},
            {head: 'Last (UTC)', cell: each => <Time at={each.lastAt} />, by: each => each.lastAt}
          ]} />
      </Section>
      {chosen && <Evidence of={chosen} />}
    </>
  );
}

function State({of}: {of: Analysis}): JSX.Element {
  if (of.state === 'running') {
    return (
      <div class="stack" role="group" aria-label="The analysis that runs">
        <Progress share={of.share} label="Analysis" />
        <p class="quiet"><span class="num">{percent(of.share, 0)}</span>, began <Time at={of.startedAt} /> UTC.{of.foundAt !== null && ' What an earlier analysis found is shown until it ends.'}</p>
      </div>
    );
  }
  if (of.state === 'failed') return <Note tone="bad" title="The analysis failed"><p>{of.error ?? 'The log says why.'}</p></Note>;
  if (of.state === 'stopped') return <Note tone="warn"><p>The analysis was stopped <Time at={of.endedAt} age />. Start it again for findings.</p></Note>;
  if (of.state === 'none') return <></>;
  const found = kinds.reduce((sum, each) => sum + of[each.kind].length, 0);
  return <p><Badge tone={of.groups.length > 0 ? 'warn' : 'good'}>{found > 0 ? count(found, 'finding') : 'Nothing was found'}</Badge> <span class="quiet">Ended <Time at={of.endedAt} age />{of.votes !== null && of.people !== null && <>; {count(of.votes, 'vote')} of {count(of.people, 'profile')} were looked at</>}.</span></p>;
}

export function IntegrityPage(): JSX.Element {
  return place.value.path[1] === 'rings' ? <RingsPage /> : <AnalysisPage />;
}

function AnalysisPage(): JSX.Element {
  const {data, error, reload, put} = useLive<Analysis>('integrity', 'integrity');
  const analysis = data.value;
  const tab = kinds.find(each => each.kind === place.value.path[1]) ?? kinds[0]!;
  const start = (): void => ask({
    title: 'Look for votes that go together',
    body: <p>All votes of the open period and the one before it are read and compared. It can be stopped, and votes go on meanwhile.</p>,
    verb: 'Analyse',
    run: async () => {
      put(await write<Analysis>('POST', 'integrity'));
      return 'The analysis runs.';
    }
  });
  const stop = (): void => ask({
    title: 'Stop the analysis',
    body: <p>It finds nothing then. It can be started again.</p>,
    verb: 'Stop it',
    run: async () => {
      await write('DELETE', 'integrity');
      reload();
      return 'The analysis stops.';
    }
  });
  return (
    <Page title="Integrity" lead="Votes that go together more than honest people’s would, each finding with its evidence. It judges nobody: look at the evidence before you act."
      actions={(
        <>
          <a class="button" href={href(['integrity', 'rings'])}>Stored rings</a>
          {analysis && can('operator') && (analysis.state === 'running' ? <Button onClick={stop}>Stop…</Button> : <Button onClick={start}>Analyse…</Button>)}
        </>
      )}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {analysis && (
        <>
          <State of={analysis} />
          {analysis.foundAt === null
            ? analysis.state !== 'running' && (
              <Empty what="No analysis has ended since the server started.">
                {can('operator') ? 'Start one with “Analyse”; it takes some seconds.' : 'An operator can start one.'} What was stored before, and whether it was acted on, is among the <a href={href(['integrity', 'rings'])}>stored rings</a>.
              </Empty>
            )
            : (
              <>
                <Tabs label="Kinds of findings" of={kinds.map(each => ({
                  to: href(each.kind === 'groups' ? ['integrity'] : ['integrity', each.kind]), current: each.kind === tab.kind,
                  name: <>{each.title} <span class="num">{analysis[each.kind].length}</span></>}))} />
                <Findings key={tab.kind} analysis={analysis} kind={tab} />
              </>
            )}
        </>
      )}
    </Page>
  );
}
