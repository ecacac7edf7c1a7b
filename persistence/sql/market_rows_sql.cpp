#include "persistence/sql/broker_rows_sql.hpp"
#include "persistence/sql/chain_columns.hpp"
#include "persistence/sql/in_order.hpp"

namespace credence::persistence {

template <>
inline constexpr std::span<const std::string_view> words_of<chain::market_standing> = chain::market_standing_words;

namespace {

using namespace chain;

constexpr auto markets_sql =
  "SELECT m.* FROM chain_markets m JOIN unnest($1::text[], $2::int4[]) k(contract, id) USING (contract, id)";
constexpr auto trades_sql = "SELECT * FROM chain_trades WHERE event_id = ANY($1::int8[])";
constexpr auto prices_sql = "SELECT * FROM chain_prices WHERE event_id = ANY($1::int8[])";
constexpr auto market_rows_positions_sql = "SELECT p.* FROM chain_positions p"
                                           " JOIN unnest($1::text[], $2::int4[], $3::bytea[]) k(contract, market_id, "
                                           "account) USING (contract, market_id, account)";
constexpr auto market_rows_accounts_sql =
  "SELECT a.* FROM chain_market_accounts a"
  " JOIN unnest($1::text[], $2::bytea[]) k(contract, account) USING (contract, account)";

void read_markets(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  binary_array contracts{sql_type::text}, ids{sql_type::int4};
  for (const auto& each : keys.markets) {
    contracts.text(chain::name_of(each.contract));
    ids.int4(each.number.value);
  }
  const auto found = on.run(markets_sql, parameters{}.array(contracts).array(ids), deadline);
  const column<std::string_view> contract{found, "contract"};
  const column<market_id> id{found, "id"};
  const column<address> creator{found, "creator"}, recipient{found, "recipient"};
  const column<wei> liquidity{found, "liquidity"}, base_price{found, "base_price"},
    creation_cost{found, "creation_cost"}, trust{found, "trust"}, distrust{found, "distrust"},
    trust_price{found, "trust_price"}, distrust_price{found, "distrust_price"}, backing{found, "backing"},
    withdrawn{found, "withdrawn"}, bought{found, "bought"}, sold{found, "sold"};
  const column<std::int64_t> trades{found, "trades"}, trust_trades{found, "trust_trades"}, prices{found, "prices"};
  const column<market_standing> standing{found, "standing"};
  const column<timestamp> created{found, "created_at"}, updated{found, "updated_at"};
  const column<std::optional<std::string>> userkey{found, "userkey"};
  const column<std::optional<digest32>> userkey_hash{found, "userkey_hash"};
  const column<std::optional<address>> pricing{found, "pricing_contract"}, trust_token{found, "trust_token"},
    distrust_token{found, "distrust_token"};
  for (int i = 0; i < found.count(); ++i) {
    market_row row;
    row.creator = creator[i];
    row.recipient = recipient[i];
    row.config = {liquidity[i], base_price[i], creation_cost[i]};
    if (auto whose = userkey[i])
      row.in_tokens =
        token_market_terms{*std::move(whose), userkey_hash[i].value_or(digest32{}), pricing[i].value_or(address{}),
                           trust_token[i].value_or(address{}), distrust_token[i].value_or(address{})};
    row.trust = trust[i];
    row.distrust = distrust[i];
    row.trust_price = trust_price[i];
    row.distrust_price = distrust_price[i];
    row.backing = backing[i];
    row.withdrawn = withdrawn[i];
    row.bought = bought[i];
    row.sold = sold[i];
    row.trades = trades[i];
    row.trust_trades = trust_trades[i];
    row.prices = prices[i];
    row.standing = standing[i];
    row.created_at = seconds_of(created[i]);
    row.updated_at = seconds_of(updated[i]);
    to.markets.put({contract_in(contract[i]), id[i]}, std::move(row));
  }
}

binary_array event_ids(const std::set<std::int64_t>& ids) {
  binary_array out{sql_type::int8};
  for (const auto each : ids)
    out.int8(each);
  return out;
}

void read_trades(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  auto ids = event_ids(keys.market_trades);
  const auto found = on.run(trades_sql, parameters{}.array(ids), deadline);
  const column<std::int64_t> event_id{found, "event_id"}, number{found, "number"}, side_number{found, "side_number"},
    account_number{found, "account_number"}, account_side_number{found, "account_side_number"};
  const column<std::string_view> contract{found, "contract"};
  const column<market_id> market{found, "market_id"};
  const column<address> account{found, "account"};
  const column<bool> buys{found, "buys"}, trusts{found, "trusts"};
  const column<wei> votes{found, "votes"}, funds{found, "funds"}, volume{found, "volume_after"},
    bought{found, "bought_after"};
  const column<timestamp> at{found, "at"};
  for (int i = 0; i < found.count(); ++i)
    to.market_trades.put(event_id[i], {{contract_in(contract[i]), market[i]},
                                       account[i],
                                       buys[i],
                                       trusts[i],
                                       votes[i],
                                       funds[i],
                                       number[i],
                                       side_number[i],
                                       account_number[i],
                                       account_side_number[i],
                                       volume[i],
                                       bought[i],
                                       seconds_of(at[i])});
}

void read_prices(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  auto ids = event_ids(keys.market_prices);
  const auto found = on.run(prices_sql, parameters{}.array(ids), deadline);
  const column<std::int64_t> event_id{found, "event_id"}, number{found, "number"};
  const column<std::string_view> contract{found, "contract"};
  const column<market_id> market{found, "market_id"};
  const column<wei> trust{found, "trust"}, distrust{found, "distrust"}, trust_price{found, "trust_price"},
    distrust_price{found, "distrust_price"};
  const column<timestamp> at{found, "at"};
  for (int i = 0; i < found.count(); ++i)
    to.market_prices.put(event_id[i], {{contract_in(contract[i]), market[i]},
                                       number[i],
                                       trust[i],
                                       distrust[i],
                                       trust_price[i],
                                       distrust_price[i],
                                       seconds_of(at[i])});
}

void read_positions(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  binary_array contracts{sql_type::text}, markets{sql_type::int4}, accounts{sql_type::bytea};
  for (const auto& each : keys.market_positions) {
    contracts.text(chain::name_of(each.market.contract));
    markets.int4(each.market.number.value);
    accounts.bytes(each.account.bytes);
  }
  const auto found =
    on.run(market_rows_positions_sql, parameters{}.array(contracts).array(markets).array(accounts), deadline);
  const column<std::string_view> contract{found, "contract"};
  const column<market_id> market{found, "market_id"};
  const column<address> account{found, "account"};
  const column<wei> trust{found, "trust"}, distrust{found, "distrust"};
  for (int i = 0; i < found.count(); ++i)
    to.market_positions.put({{contract_in(contract[i]), market[i]}, account[i]}, {trust[i], distrust[i]});
}

void read_accounts(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  binary_array contracts{sql_type::text}, accounts{sql_type::bytea};
  for (const auto& each : keys.market_accounts) {
    contracts.text(chain::name_of(each.contract));
    accounts.bytes(each.account.bytes);
  }
  const auto found = on.run(market_rows_accounts_sql, parameters{}.array(contracts).array(accounts), deadline);
  const column<std::string_view> contract{found, "contract"};
  const column<address> account{found, "account"};
  const column<wei> bought{found, "bought"}, sold{found, "sold"}, donations{found, "donations"};
  const column<std::int64_t> trades{found, "trades"}, trust_trades{found, "trust_trades"};
  for (int i = 0; i < found.count(); ++i)
    to.market_accounts.put({contract_in(contract[i]), account[i]},
                           {bought[i], sold[i], donations[i], trades[i], trust_trades[i]});
}

} // namespace

void read_market_rows(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (!keys.markets.empty())
    read_markets(on, keys, to, deadline);
  if (!keys.market_trades.empty())
    read_trades(on, keys, to, deadline);
  if (!keys.market_prices.empty())
    read_prices(on, keys, to, deadline);
  if (!keys.market_positions.empty())
    read_positions(on, keys, to, deadline);
  if (!keys.market_accounts.empty())
    read_accounts(on, keys, to, deadline);
}

} // namespace credence::persistence
