import type {JSX} from 'preact';
import {href, place} from '../lib/router';
import {Page, Tabs} from '../ui/basics';
import {MarketsList, OneMarket} from './markets';
import {OnePerson, PeopleList} from './people';
import {NewProject, OneProject, ProjectsList} from './projects';
import {OneSlash} from './public_lists';
import {SlashesList} from './slashes';

const tabs: Array<[string, string]> = [['people', 'People'], ['projects', 'Projects'], ['markets', 'Markets'], ['slashes', 'Slashes']];

export function RecordsPage(): JSX.Element {
  const [, kind = 'people', id] = place.value.path;
  if (kind === 'people' && id) return <OnePerson key={id} id={id} />;
  if (kind === 'projects' && id === 'new') return <NewProject />;
  if (kind === 'projects' && id) return <OneProject key={id} id={id} />;
  if (kind === 'markets' && id) return <OneMarket key={id} id={id} />;
  if (kind === 'slashes' && id) return <OneSlash key={id} id={id} />;
  return (
    <Page title="Records" lead="People, projects, markets and slashes, as they are stored now.">
      <Tabs label="Kinds of records" of={tabs.map(([name, title]) => ({to: href(['records', name]), name: title, current: kind === name}))} />
      {kind === 'projects' ? <ProjectsList /> : kind === 'markets' ? <MarketsList /> : kind === 'slashes' ? <SlashesList /> : <PeopleList />}
    </Page>
  );
}
