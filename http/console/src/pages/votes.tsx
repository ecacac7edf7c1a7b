// Votes on a project one by one, each with its weight.
import type {JSX} from 'preact';
import {at} from '../lib/api';
import type {CastVote} from '../lib/contract';
import {whole} from '../lib/format';
import {useResource} from '../lib/resource';
import {href, param} from '../lib/router';
import {everyPage} from '../lib/take';
import {Badge, Empty, Failed, Section, Time} from '../ui/basics';
import {FilterSelect, TimeFilters, timeRange} from '../ui/fields';
import {CursorPager, DataTable} from '../ui/table';

export function Votes({project}: {project: number}): JSX.Element {
  const range = timeRange();
  const filter = {projectId: project, side: param('side'), from: range.from, to: range.to};
  const right = !range.wrongFrom && !range.wrongTo;
  const {data, error, reload} = useResource<{values: CastVote[]; next: string | null}>(right ? at(['votes'], {...filter, limit: 50, cursor: param('cursor')}) : null, 10);
  return (
    <Section title="Who voted" lead="One by one, the newest first.">
      <div class="filters">
        <TimeFilters {...range} />
        <FilterSelect name="side" label="Side" options={[['', 'both'], ['bullish', 'bullish'], ['bearish', 'bearish']]} />
      </div>
      {error.value && <Failed error={error.value} retry={reload} />}
      {data.value && (
        <>
          <DataTable caption="Votes, newest first" file={`project-${project}-votes`} all={() => everyPage(['votes'], filter)} rows={data.value.values} id={each => each.number} sortName="votesSort"
            empty={<Empty what="No vote matches.">Take filters out to see more.</Empty>}
            columns={[
              {head: 'When (UTC)', as: 'fit', cell: each => <Time at={each.castAt} />, by: each => each.castAt},
              {head: 'Voter', cell: each => <a href={href(['records', 'people', each.profileId])}>{each.name || `profile ${each.profileId}`}</a>, by: each => each.name},
              {head: 'Side', cell: each => <Badge tone={each.side === 'bullish' ? 'good' : 'warn'}>{each.side}</Badge>, by: each => each.side},
              {head: 'Weight', as: 'n', cell: each => whole(each.weight), by: each => each.weight},
              {head: 'Reason', cell: each => each.reason ?? <span class="quiet">–</span>}
            ]} />
          <CursorPager next={data.value.next} />
        </>
      )}
    </Section>
  );
}
