import type {JSX} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {at} from '../lib/api';
import type {MarketRow} from '../lib/contract';
import {count, ether, percent, whole} from '../lib/format';
import {useLive} from '../lib/live';
import {useResource} from '../lib/resource';
import {href, param} from '../lib/router';
import {Empty, Failed, Fixed, Page, Section, Stats} from '../ui/basics';
import {Chart} from '../ui/chart';
import {FilterText} from '../ui/fields';
import {DataTable} from '../ui/table';

export function MarketsList(): JSX.Element {
  const query = param('query');
  const {data, error, reload} = useResource<{values: MarketRow[]; total: number}>(at(['markets'], {query, limit: 100}));
  const found = data.value;
  return (
    <Section title="Markets">
      <div class="filters"><FilterText name="query" label="Name of the person, or its profile's id" placeholder="7, ada" /></div>
      {error.value && <Failed error={error.value} retry={reload} />}
      {found && (
        <>
          <DataTable caption="Markets" rows={found.values} id={each => each.profileId}
            empty={query ? <Empty what={`No market matches “${query}”.`}>Try two letters of a name or more, or an id.</Empty> : <Empty what="There are no markets yet.">Profiles open their markets over the API.</Empty>}
            columns={[
              {head: 'Profile', as: 'n', cell: each => <a href={href(['records', 'markets', each.profileId])}>{each.profileId}</a>, by: each => each.profileId},
              {head: 'Name', cell: each => each.name, by: each => each.name},
              {head: 'Trust votes', as: 'n', cell: each => whole(each.trustVotes), by: each => each.trustVotes},
              {head: 'Distrust votes', as: 'n', cell: each => whole(each.distrustVotes), by: each => each.distrustVotes},
              {head: 'Trust price (ETH)', as: 'n', cell: each => ether(each.trustPriceWei), by: each => Number(each.trustPriceWei)},
              {head: 'Volume (ETH)', as: 'n', cell: each => ether(each.volumeWei), by: each => Number(each.volumeWei)}
            ]} />
          <p class="quiet small">{found.total > found.values.length ? `The best ${found.values.length} of ${whole(found.total)}. Narrow the search to see others.` : `${count(found.total, 'market')}.`}</p>
        </>
      )}
    </Section>
  );
}

interface Seen {
  at: number;
  trust: number;
  distrust: number;
}

/** What came since the view was opened; the server keeps no history of a market for operators. */
function SinceOpened({market}: {market: MarketRow}): JSX.Element {
  const [seen, setSeen] = useState<Seen[]>([]);
  useEffect(() => {
    const add = (): void => setSeen(before => [...before.slice(-599), {at: Date.now() / 1000, trust: market.trustVotes, distrust: market.distrustVotes}]);
    add();
    const timer = setInterval(add, 1000);
    return () => clearInterval(timer);
  }, [market]);
  return (
    <Chart title="Votes held, since this view was opened" steps counts write={value => whole(Math.round(value))} at={seen.map(each => each.at)} series={[
      {label: 'trust', values: seen.map(each => each.trust)}, {label: 'distrust', values: seen.map(each => each.distrust)}]} />
  );
}

export function OneMarket({id}: {id: string}): JSX.Element {
  const {data, error, reload} = useLive<MarketRow>(at(['markets', id]), `market:${id}`);
  const market = data.value;
  const votes = market ? market.trustVotes + market.distrustVotes : 0;
  return (
    <Page title={market ? `Market on ${market.name}` : `Market on profile ${id}`} lead={<a href={href(['records', 'markets'])}>All markets</a>}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {market && (
        <>
          <Stats label="The market now" of={[
            {label: 'Trust votes', value: <Fixed width={7}>{whole(market.trustVotes)}</Fixed>},
            {label: 'Distrust votes', value: <Fixed width={7}>{whole(market.distrustVotes)}</Fixed>},
            {label: 'Trust share', value: <Fixed width={7}>{percent(votes > 0 ? market.trustVotes / votes : null)}</Fixed>, note: 'of the votes held'},
            {label: 'Price of trust', value: ether(market.trustPriceWei), unit: 'ETH'},
            {label: 'Volume', value: ether(market.volumeWei), unit: 'ETH'}
          ]} />
          <Section title="Live"><SinceOpened market={market} /></Section>
          <p class="row wide">
            <a href={href(['records', 'people', market.profileId])}>The person</a>
            <a href={href(['actors', `market:${market.profileId}`])}>Its actor</a>
          </p>
        </>
      )}
    </Page>
  );
}
