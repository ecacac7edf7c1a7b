import type {ComponentChildren, JSX} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {ApiError, at, publicAt, write} from '../lib/api';
import type {ChartPoint, Project, ProjectRow} from '../lib/contract';
import {count, percent, whole, words} from '../lib/format';
import {useLive} from '../lib/live';
import {useResource} from '../lib/resource';
import {go, href, param} from '../lib/router';
import {can} from '../lib/session';
import {bestMatches} from '../lib/take';
import {Badge, Button, Empty, Failed, Fixed, Page, Pairs, Section, Stats, Time} from '../ui/basics';
import {Chart} from '../ui/chart';
import {ask} from '../ui/dialog';
import {FilterText, Text} from '../ui/fields';
import {say} from '../ui/toasts';
import {DataTable} from '../ui/table';
import {Team} from './public_lists';
import {Votes} from './votes';

function Status({of}: {of: ProjectRow}): JSX.Element {
  return of.status === 'ACTIVE' ? <Badge tone="good">active</Badge> : <Badge tone="off">archived</Badge>;
}

export function ProjectsList(): JSX.Element {
  const query = param('query');
  const {data, error, reload} = useResource<{values: ProjectRow[]; total: number}>(at(['projects'], {query, limit: 100}));
  const found = data.value;
  return (
    <Section title="Projects" actions={can('admin') && <a class="button" href={href(['records', 'projects', 'new'])}>New project</a>}>
      <div class="filters"><FilterText name="query" label="Name, username or id" placeholder="7, first_project" /></div>
      {error.value && <Failed error={error.value} retry={reload} />}
      {found && (
        <>
          <DataTable caption="Projects" file="projects" all={() => bestMatches(['projects'], {query})} rows={found.values} id={each => each.projectId}
            empty={query ? <Empty what={`No project matches “${query}”.`}>Try part of a name, or an id.</Empty>
              : <Empty what="There are no projects yet.">{can('admin') ? <>Make the first with <a href={href(['records', 'projects', 'new'])}>new project</a>.</> : 'An admin makes them.'}</Empty>}
            columns={[
              {head: 'Name', cell: each => <a href={href(['records', 'projects', each.projectId])}>{each.name || each.username}</a>, by: each => each.name},
              {head: 'Username', cell: each => each.username, by: each => each.username},
              {head: 'Id', as: 'n', cell: each => each.projectId, by: each => each.projectId},
              {head: 'State', cell: each => <Status of={each} />, by: each => each.status},
              {head: 'Bullish', as: 'n', cell: each => whole(each.bullish), by: each => each.bullish},
              {head: 'Bearish', as: 'n', cell: each => whole(each.bearish), by: each => each.bearish}
            ]} />
          <p class="quiet small">{found.total > found.values.length ? `The best ${found.values.length} of ${whole(found.total)}. Narrow the search to see others.` : `${count(found.total, 'project')}.`}</p>
        </>
      )}
    </Section>
  );
}

function VotesChart({project}: {project: Project}): JSX.Element {
  const {data, error, reload} = useResource<{values: ChartPoint[]}>(at(['projects', project.projectId, 'chart']));
  const total = project.bullish + project.bearish;
  const [drawn, setDrawn] = useState(total);
  useEffect(() => { // votes that came since it was read; a busy project is read once in five seconds
    if (total === drawn) return undefined;
    const timer = setTimeout(() => { setDrawn(total); reload(); }, 5000);
    return () => clearTimeout(timer);
  }, [total !== drawn, drawn, reload]);
  const points = data.value?.values ?? [];
  if (error.value) return <Failed error={error.value} retry={reload} />;
  if (data.value && points.length === 0) return <Empty what="Nobody has voted on it in the open period.">The chart begins with the first vote.</Empty>;
  return (
    <Chart title="Votes in the open period" height={200} steps counts write={value => whole(Math.round(value))} at={points.map(each => each.at / 1000)} series={[
      {label: 'bullish', values: points.map(each => each.bullish)}, {label: 'bearish', values: points.map(each => each.bearish)}]} />
  );
}

function changeState(project: Project, act: 'archive' | 'restore', done: () => void): void {
  const archive = act === 'archive';
  const name = project.username || String(project.projectId);
  ask({
    title: archive ? `Archive ${project.name}` : `Restore ${project.name}`,
    body: archive
      ? <p>It takes no votes from then on and leaves the listings. It keeps the {count(project.bullish + project.bearish, 'vote')} that it has, and can be restored.</p>
      : <p>It takes votes again and is listed.</p>,
    verb: archive ? 'Archive it' : 'Restore it',
    word: archive ? name : undefined,
    danger: archive,
    run: async () => {
      await write('POST', at(['projects', project.projectId, act]));
      done();
      return archive ? `${project.name} is archived.` : `${project.name} takes votes again.`;
    }
  });
}

interface Published {
  links: Array<{type: string; url: string}>;
  categories: Array<{name: string}>;
  chains: Array<{name: string}>;
}

export function OneProject({id}: {id: string}): JSX.Element {
  const {data, error, reload} = useLive<Project>(at(['projects', id]), `project:${id}`);
  const about = useResource<Published>(data.value ? publicAt(['projects', id]) : null);
  const published = about.data.value;
  const project = data.value;
  const now = project ? project.bullishNow + project.bearishNow : 0;
  return (
    <Page title={project?.name ?? `Project ${id}`} lead={<a href={href(['records', 'projects'])}>All projects</a>}
      actions={project && (
        <>
          <Status of={project} />
          {can('admin') && (project.status === 'ACTIVE'
            ? <Button kind="danger" onClick={() => changeState(project, 'archive', reload)}>Archive…</Button>
            : <Button onClick={() => changeState(project, 'restore', reload)}>Restore…</Button>)}
        </>
      )}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {project && (
        <>
          <Stats label="Votes" of={[
            {label: 'Bullish', value: <Fixed width={7}>{whole(project.bullish)}</Fixed>, note: 'in all periods'},
            {label: 'Bearish', value: <Fixed width={7}>{whole(project.bearish)}</Fixed>, note: 'in all periods'},
            {label: 'Bullish now', value: <Fixed width={7}>{whole(project.bullishNow)}</Fixed>, note: 'in the open period'},
            {label: 'Bearish now', value: <Fixed width={7}>{whole(project.bearishNow)}</Fixed>, note: 'in the open period'},
            {label: 'Bullish share', value: <Fixed width={7}>{percent(now > 0 ? project.bullishNow / now : null)}</Fixed>, note: 'in the open period'}
          ]} />
          <Section title="Chart"><VotesChart project={project} /></Section>
          <Section title="What it is">
            {about.error.value && <Failed error={about.error.value} retry={about.reload} />}
            <div class="panel">
              <Pairs of={[
                ['Project', String(project.projectId)], ['Username', project.username], ['Made', <><Time at={project.createdAt} /> UTC</>],
                ['Description', project.description || '–'],
                ...(published ? [
                  ['Links', published.links.length ? <ul>{published.links.map(each => <li key={each.url}>{words(each.type)}: <code>{each.url}</code></li>)}</ul> : '–'],
                  ['Categories', published.categories.map(each => each.name).join(', ') || '–'],
                  ['Chains', published.chains.map(each => each.name).join(', ') || '–']] as Array<[string, ComponentChildren]> : []), // not known yet, or not to be had
                ['Actor', <a href={href(['actors', `project:${project.projectId}`])}><code>project:{project.projectId}</code></a>]
              ]} />
            </div>
          </Section>
          <Votes project={project.projectId} />
          <Team project={project.projectId} />
        </>
      )}
    </Page>
  );
}

const idsOf = (text: string): number[] | null => {
  const parts = text.split(/[\s,]+/).filter(Boolean);
  return parts.every(each => /^\d+$/.test(each)) ? parts.map(Number) : null;
};

export function NewProject(): JSX.Element {
  const [userkey, setUserkey] = useState('');
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [categories, setCategories] = useState('');
  const [chains, setChains] = useState('');
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const [categoryIds, chainIds] = [idsOf(categories), idsOf(chains)];
  const ready = userkey.trim() !== '' && categoryIds !== null && chainIds !== null && !busy;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!ready) return;
    setBusy(true);
    setError(null);
    try {
      const made = await write<Project>('POST', 'projects', {
        userkey: userkey.trim(),
        ...(name.trim() ? {name: name.trim()} : {}), ...(description.trim() ? {description: description.trim()} : {}),
        ...(categoryIds?.length ? {categories: categoryIds} : {}), ...(chainIds?.length ? {chains: chainIds} : {})
      });
      say(`${made.name} is there.`);
      go(href(['records', 'projects', made.projectId]));
    } catch (why) {
      setError(ApiError.from(why));
      setBusy(false);
    }
  };
  if (!can('admin')) return <Page title="New project"><Empty what="Only admins make projects.">Ask one, or go back to <a href={href(['records', 'projects'])}>all projects</a>.</Empty></Page>;
  return (
    <Page title="New project" lead={<a href={href(['records', 'projects'])}>All projects</a>}>
      <form class="form" onSubmit={event => void submit(event)} novalidate>
        <Text label="Userkey of the account whose project it is" value={userkey} onInput={setUserkey} mono placeholder="service:x.com:username:credence" required />
        <Text label="Name" value={name} onInput={setName} hint="Left out: the name of the account." />
        <Text label="Description" value={description} onInput={setDescription} rows={3} />
        <Text label="Ids of categories" value={categories} onInput={setCategories} placeholder="1, 4" wrong={categoryIds ? undefined : 'Numbers with commas between them.'} />
        <Text label="Ids of chains" value={chains} onInput={setChains} placeholder="1" wrong={chainIds ? undefined : 'Numbers with commas between them.'} />
        {error && <Failed error={error} />}
        <div class="row"><Button type="submit" kind="primary" disabled={!ready}>{busy ? 'Working…' : 'Make the project'}</Button></div>
      </form>
    </Page>
  );
}
