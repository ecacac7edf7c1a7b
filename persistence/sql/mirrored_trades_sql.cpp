#include "persistence/sql/market_lists_sql.hpp"
#include "persistence/sql/mirrored_markets_sql.hpp"

#include <algorithm>
#include <string>

/// Pages of trades and prices of the markets of the chain. Each row knows its place in the lists that it is in.
namespace credence::persistence {

namespace {

using market::direction;
using market::vote_side;

constexpr auto market_sql =
  "SELECT trades, trust_trades, prices, created_at, trust_price, distrust_price FROM chain_markets"
  " WHERE contract = 'reputationMarket' AND id = $1::int4";
constexpr auto account_sql =
  "SELECT trades, trust_trades FROM chain_market_accounts WHERE contract = 'reputationMarket' AND account = $1::bytea";
constexpr auto mirrored_trades_prices_sql = "SELECT at, trust_price, distrust_price FROM chain_prices WHERE contract = "
                                            "'reputationMarket' AND market_id = $1::int4"
                                            " AND number > $2::int8 AND number <= $3::int8 ORDER BY number";

// The rows behind $2, up to $3.
#define CREDENCE_MIRRORED_TRADES(of, place)                                                                            \
  "SELECT t.event_id, t.market_id, t.account, t.buys, t.trusts, t.votes::int8 AS votes, t.funds, t.at, e.tx_hash "     \
  "FROM chain_trades t"                                                                                                \
  " LEFT JOIN LATERAL (SELECT tx_hash FROM chain_events WHERE id = t.event_id LIMIT 1) e ON true"                      \
  " WHERE t.contract = 'reputationMarket' AND " of " AND t." place " > $2::int8 AND t." place                          \
  " <= $3::int8 ORDER BY t." place " DESC"

/// A list of trades: all of them, and those of either side.
struct mirrored_listing {
  const char* all;
  const char* trust;
  const char* distrust;
};
constexpr mirrored_listing mirrored_trades_of_market{
  CREDENCE_MIRRORED_TRADES("t.market_id = $1::int4", "number"),
  CREDENCE_MIRRORED_TRADES("t.market_id = $1::int4 AND t.trusts", "side_number"),
  CREDENCE_MIRRORED_TRADES("t.market_id = $1::int4 AND NOT t.trusts", "side_number")};
constexpr mirrored_listing of_account{
  CREDENCE_MIRRORED_TRADES("t.account = $1::bytea", "account_number"),
  CREDENCE_MIRRORED_TRADES("t.account = $1::bytea AND t.trusts", "account_side_number"),
  CREDENCE_MIRRORED_TRADES("t.account = $1::bytea AND NOT t.trusts", "account_side_number")};

struct place {
  std::int64_t after = 0, to = 0;
};
/// The rows of a page that begins so many before the newest.
place place_of(const page& slice, std::int64_t total) {
  const auto to = std::max<std::int64_t>(total - slice.offset, 0);
  return {std::max<std::int64_t>(to - slice.limit, 0), to};
}

std::int64_t total_in(const rows& of, const std::optional<vote_side>& side) {
  const auto all = of.first<std::int64_t>("trades"), trust = of.first<std::int64_t>("trust_trades");
  return !side ? all : *side == vote_side::trust ? trust : all - trust;
}

/// `of`: what `$1` is.
market::trade_list read_trades(connection& on, const mirrored_listing& list, parameters of, std::int64_t total,
                               const std::optional<vote_side>& side, const page& slice, steady_time deadline) {
  market::trade_list out{{}, total, slice};
  const auto where = place_of(slice, total);
  if (where.after == where.to)
    return out;
  const auto* sql = !side ? list.all : *side == vote_side::trust ? list.trust : list.distrust;
  const auto found = on.run(sql, of.int8(where.after).int8(where.to), deadline);
  const column<std::int64_t> event_id{found, "event_id"}, votes{found, "votes"};
  const column<market_id> market{found, "market_id"};
  const column<address> account{found, "account"};
  const column<bool> buys{found, "buys"}, trusts{found, "trusts"};
  const column<wei> funds{found, "funds"};
  const column<timestamp> at{found, "at"};
  const column<std::optional<digest32>> tx{found, "tx_hash"};
  for (int i = 0; i < found.count(); ++i)
    out.values.push_back({event_id[i], market[i], account[i], buys[i] ? direction::buy : direction::sell,
                          trusts[i] ? vote_side::trust : vote_side::distrust, votes[i], funds[i], at[i], tx[i]});
  return out;
}

} // namespace

market::price_list read_mirrored(connection& on, const market::get_prices& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::price_list out;
  const auto market = on.run(market_sql, parameters{}.int4(query.market.value), deadline);
  if (!market.empty()) {
    out.total = market.first<std::int64_t>("prices");
    if (out.total == 0) { // no event told of any
      out.total = 1;
      if (query.slice.offset == 0)
        out.values.push_back({market.first<timestamp>("created_at"), market.first<wei>("trust_price"),
                              market.first<wei>("distrust_price")});
    } else {
      const auto where = place_of(query.slice, out.total);
      const auto found = on.run(mirrored_trades_prices_sql,
                                parameters{}.int4(query.market.value).int8(where.after).int8(where.to), deadline);
      const column<timestamp> at{found, "at"};
      const column<wei> trust{found, "trust_price"}, distrust{found, "distrust_price"};
      for (int i = 0; i < found.count(); ++i)
        out.values.push_back({at[i], trust[i], distrust[i]});
    }
  }
  snapshot.commit(deadline);
  return out;
}

market::trade_list read_mirrored(connection& on, const market::get_market_trades& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::trade_list out{{}, -1, query.slice};
  const auto market = on.run(market_sql, parameters{}.int4(query.market.value), deadline);
  if (!market.empty())
    out = read_trades(on, mirrored_trades_of_market, parameters{}.int4(query.market.value),
                      total_in(market, query.side), query.side, query.slice, deadline);
  snapshot.commit(deadline);
  return out;
}

market::trade_list read_mirrored(connection& on, const market::get_activity& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::trade_list out{{}, 0, query.slice};
  const auto account = on.run(account_sql, parameters{}.bytes(query.who.bytes), deadline);
  if (!account.empty())
    out = read_trades(on, of_account, parameters{}.bytes(query.who.bytes), total_in(account, query.side), query.side,
                      query.slice, deadline);
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
