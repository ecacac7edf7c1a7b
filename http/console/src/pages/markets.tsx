import type {JSX} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {at, write} from '../lib/api';
import type {MarketRow, PricePoint} from '../lib/contract';
import {count, ether, percent, whole} from '../lib/format';
import {useLive} from '../lib/live';
import {useResource} from '../lib/resource';
import {href, param} from '../lib/router';
import {can} from '../lib/session';
import {bestMatches} from '../lib/take';
import {Badge, Button, Empty, Failed, Fixed, Note, Page, Section, Stats} from '../ui/basics';
import {Chart} from '../ui/chart';
import {ask} from '../ui/dialog';
import {FilterSelect, FilterText} from '../ui/fields';
import {DataTable} from '../ui/table';
import {Holders, Trades} from './public_lists';

const nameOf = (market: MarketRow): string => market.name || `profile ${market.profileId}`;

function Trading({of}: {of: MarketRow}): JSX.Element {
  return of.frozen ? <Badge tone="warn">frozen</Badge> : <Badge tone="good">open</Badge>;
}

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
          <DataTable caption="Markets" file="markets" all={() => bestMatches(['markets'], {query})} rows={found.values} id={each => each.profileId}
            empty={query ? <Empty what={`No market matches “${query}”.`}>Try two letters of a name or more, or an id.</Empty> : <Empty what="There are no markets yet.">Profiles open their markets over the API.</Empty>}
            columns={[
              {head: 'Name', cell: each => <a href={href(['records', 'markets', each.profileId])}>{nameOf(each)}</a>, by: each => each.name},
              {head: 'Profile', as: 'n', cell: each => each.profileId, by: each => each.profileId},
              {head: 'Trading', cell: each => <Trading of={each} />, by: each => (each.frozen ? 1 : 0)},
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

const windows: Array<[string, string]> = [['1H', 'the last hour'], ['6H', 'the last six hours'], ['', 'the last day'], ['7D', 'the last week'], ['1M', 'the last month'],
  ['3M', 'the last three months'], ['1Y', 'the last year'], ['All', 'the last 400 days']];

const inEther = (wei: string): number => Number(wei) / 1e18;
const price = (value: number): string => value.toLocaleString('en', {maximumSignificantDigits: 4});

function PricesChart({market}: {market: MarketRow}): JSX.Element {
  const {data, error, reload} = useResource<{values: PricePoint[]}>(at(['markets', market.profileId, 'chart'], {window: param('window')}));
  const state = `${market.volumeWei} ${market.trustPriceWei}`;
  const [drawn, setDrawn] = useState(state);
  useEffect(() => { // trades that came since it was read; a busy market is read once in five seconds
    if (state === drawn) return undefined;
    const timer = setTimeout(() => { setDrawn(state); reload(); }, 5000);
    return () => clearTimeout(timer);
  }, [state !== drawn, drawn, reload]);
  const points = data.value?.values ?? [];
  return (
    <>
      <div class="filters"><FilterSelect name="window" label="Time" options={windows} /></div>
      {error.value ? <Failed error={error.value} retry={reload} />
        : data.value && points.length === 0 ? <Empty what="The market had no prices yet.">It was opened a moment ago.</Empty>
          : <Chart title="Prices of a vote, in ETH" height={200} steps write={price} at={points.map(each => each.at / 1000)} series={[
              {label: 'trust', values: points.map(each => inEther(each.trustPriceWei))}, {label: 'distrust', values: points.map(each => inEther(each.distrustPriceWei))}]} />}
    </>
  );
}

function setFrozen(market: MarketRow, frozen: boolean, done: () => void): void {
  const id = String(market.profileId);
  ask({
    title: frozen ? `Freeze the market on ${nameOf(market)}` : `Unfreeze the market on ${nameOf(market)}`,
    body: frozen
      ? <p>Nobody buys or sells on it from then on, and nobody is quoted a price. Positions and prices stay as they are and can be read. An admin can unfreeze it.</p>
      : <p>Everybody may buy and sell on it again, at the prices that it has.</p>,
    verb: frozen ? 'Freeze it' : 'Unfreeze it',
    word: id,
    danger: frozen,
    run: async () => {
      await write('PUT', at(['markets', id, 'frozen']), {frozen, confirm: id});
      done();
      return frozen ? `The market on ${nameOf(market)} is frozen.` : `The market on ${nameOf(market)} takes trades again.`;
    }
  });
}

export function OneMarket({id}: {id: string}): JSX.Element {
  const {data, error, reload} = useLive<MarketRow>(at(['markets', id]), `market:${id}`);
  const market = data.value;
  const votes = market ? market.trustVotes + market.distrustVotes : 0;
  return (
    <Page title={market ? `Market on ${nameOf(market)}` : `Market on profile ${id}`} lead={<a href={href(['records', 'markets'])}>All markets</a>}
      actions={market && (
        <>
          <Trading of={market} />
          {can('admin') && (market.frozen
            ? <Button onClick={() => setFrozen(market, false, reload)}>Unfreeze…</Button>
            : <Button kind="danger" onClick={() => setFrozen(market, true, reload)}>Freeze…</Button>)}
        </>
      )}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {market && (
        <>
          {market.frozen && (
            <Note tone="warn">
              <p><strong>The market is frozen.</strong> Nobody buys or sells on it until an admin unfreezes it. <a href={href(['audit'], {act: 'market_frozen', profileId: market.profileId})}>Who froze it, and when</a></p>
            </Note>
          )}
          <Stats label="The market now" of={[
            {label: 'Trust votes', value: <Fixed width={7}>{whole(market.trustVotes)}</Fixed>},
            {label: 'Distrust votes', value: <Fixed width={7}>{whole(market.distrustVotes)}</Fixed>},
            {label: 'Trust share', value: <Fixed width={7}>{percent(votes > 0 ? market.trustVotes / votes : null)}</Fixed>, note: 'of the votes held'},
            {label: 'Price of trust', value: ether(market.trustPriceWei), unit: 'ETH'},
            {label: 'Volume', value: ether(market.volumeWei), unit: 'ETH'}
          ]} />
          <Section title="Chart"><PricesChart market={market} /></Section>
          <Trades market={id} />
          <Holders market={id} />
          <p class="row wide">
            <a href={href(['records', 'people', market.profileId])}>The person</a>
            {market.actor && <a href={href(['actors', market.actor])}>Its actor</a>}
          </p>
        </>
      )}
    </Page>
  );
}
