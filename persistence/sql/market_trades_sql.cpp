#include "config/limits.hpp"
#include "persistence/sql/market_lists_sql.hpp"
#include "persistence/sql/mirrored_markets_sql.hpp"
#include "persistence/sql/page_place.hpp"

#include <array>
#include <string>

/// Pages of trades and prices: lists that only grow, read from the mark before the page on.
namespace credence::persistence {

namespace {

using market::direction;
using market::vote_side;

// Where a page of a list begins, worked out from how long the list is: at the mark before it (a row in 256
// has one). `$2` is what the list is called, `$3` the offset.
#define CREDENCE_PLACE(total)                                                                                          \
  "SELECT k.total, m.ordinal FROM (SELECT " total " AS total) k LEFT JOIN LATERAL (SELECT ordinal FROM page_marks"     \
  " WHERE list = $2::text AND owner = $1::int4 AND ordinal >= k.total - $3::int8 ORDER BY ordinal LIMIT 1) m ON true"

// The rows of either side from the mark `$3` on (0: from the newest), as far as the page goes: `$4` rows
// of it are passed over, `$5` are wanted, `$6` and `$7` say of which sides. With a bound that the planner
// knows: it must not rather sort all there are.
static_assert(limits::market_list_max + page_marked_every == 1256
              && limits::price_points_max + page_marked_every == 10256);
#define CREDENCE_MARKET_SIDE(side, wanted, bound)                                                                      \
  "(SELECT * FROM market_trades WHERE market_id = $1::int4 AND " side " AND " wanted "::boolean AND (at, number) <= (" \
  " coalesce((SELECT at FROM page_marks WHERE list = $2::text AND owner = $1::int4 AND ordinal = $3::int8), "          \
  "'infinity'),"                                                                                                       \
  " coalesce((SELECT key FROM page_marks WHERE list = $2::text AND owner = $1::int4 AND ordinal = $3::int8), "         \
  "9223372036854775807))"                                                                                              \
  " ORDER BY at DESC, number DESC LIMIT " bound ")"
#define CREDENCE_MARKET_PAGE(bound)                                                                                    \
  " FROM (SELECT * FROM (" CREDENCE_MARKET_SIDE("trusts", "$6", bound) " UNION ALL " CREDENCE_MARKET_SIDE(             \
    "NOT trusts", "$7", bound) ") sides ORDER BY at DESC, number DESC OFFSET $4::int8 LIMIT $5::int4) t"
#define CREDENCE_TRADER_SIDE(side, wanted, bound)                                                                      \
  "(SELECT * FROM market_trades WHERE trader_id = $1::int4 AND " side " AND " wanted "::boolean AND seq <= "           \
  " coalesce((SELECT key FROM page_marks WHERE list = $2::text AND owner = $1::int4 AND ordinal = $3::int8), "         \
  "9223372036854775807)"                                                                                               \
  " ORDER BY seq DESC LIMIT " bound ")"
#define CREDENCE_TRADER_PAGE                                                                                           \
  " FROM (SELECT * FROM (" CREDENCE_TRADER_SIDE("trusts", "$6", "1256") " UNION ALL " CREDENCE_TRADER_SIDE(            \
    "NOT trusts", "$7", "1256") ") sides ORDER BY seq DESC OFFSET $4::int8 LIMIT $5::int4) t"

constexpr auto market_trades_prices_sql =
  "SELECT at, trust_price_after, distrust_price_after" CREDENCE_MARKET_PAGE("10256") " ORDER BY at, number";
constexpr auto start_sql = "SELECT created_at, liquidity, base_price FROM markets WHERE profile_id = $1::int4";

#define CREDENCE_TRADE_RECORD                                                                                          \
  "SELECT t.seq, t.market_id, (SELECT a.address FROM addresses a JOIN profiles o ON o.user_id = a.user_id"             \
  "  WHERE o.id = t.trader_id AND a.kind = 'primary') AS trader_address, t.buys, t.trusts, t.votes,"                   \
  " CASE WHEN t.buys THEN t.cost + t.protocol_fee + t.donation ELSE t.cost - t.protocol_fee END AS funds, t.at"

/// A list of trades: all of them, and those of either side.
struct trade_listing {
  const char* place;
  const char* rows;
  std::array<const char*, 3> names; // all, trust, distrust
};
constexpr trade_listing of_market{
  CREDENCE_PLACE("coalesce((SELECT CASE $2::text WHEN 'market' THEN trades WHEN 'market trust' THEN trust_trades"
                 " ELSE trades - trust_trades END FROM markets WHERE profile_id = $1::int4), -1)"),
  CREDENCE_TRADE_RECORD CREDENCE_MARKET_PAGE("1256") " ORDER BY t.at DESC, t.number DESC",
  {"market", "market trust", "market distrust"}};
constexpr trade_listing of_trader{
  CREDENCE_PLACE("coalesce((SELECT CASE $2::text WHEN 'trader' THEN trades WHEN 'trader trust' THEN trust_trades"
                 " ELSE trades - trust_trades END FROM wei_accounts WHERE profile_id = $1::int4), 0)"),
  CREDENCE_TRADE_RECORD CREDENCE_TRADER_PAGE " ORDER BY t.seq DESC",
  {"trader", "trader trust", "trader distrust"}};

page_place place_of(connection& on, const char* sql, std::int32_t of, std::string_view list, const page& slice,
                    steady_time deadline) {
  return place_from(on.run(sql, parameters{}.int4(of).text(list).int8(slice.offset), deadline), slice);
}

rows rows_of(connection& on, const char* sql, std::int32_t of, std::string_view list, const page_place& where,
             std::int32_t most, const std::optional<vote_side>& side, steady_time deadline) {
  return on.run(sql,
                parameters{}
                  .int4(of)
                  .text(list)
                  .int8(where.mark)
                  .int8(where.passed_over)
                  .int4(most)
                  .boolean(side != vote_side::distrust)
                  .boolean(side != vote_side::trust),
                deadline);
}

market::trade_list read_trades(connection& on, const trade_listing& list, std::int32_t of,
                               const std::optional<vote_side>& side, page slice, steady_time deadline) {
  const auto* name = list.names[side ? 1 + static_cast<std::size_t>(*side) : 0];
  const auto where = place_of(on, list.place, of, name, slice, deadline);
  market::trade_list out{{}, where.total, slice};
  if (where.empty)
    return out;
  const auto found = rows_of(on, list.rows, of, name, where, slice.limit, side, deadline);
  const column<global_seq> seq{found, "seq"};
  const column<market_id> market{found, "market_id"};
  const column<std::optional<address>> trader{found, "trader_address"};
  const column<bool> buys{found, "buys"};
  const column<bool> trusts{found, "trusts"};
  const column<std::int64_t> votes{found, "votes"};
  const column<wei> funds{found, "funds"};
  const column<timestamp> at{found, "at"};
  for (int i = 0; i < found.count(); ++i)
    out.values.push_back({seq[i], market[i], trader[i], buys[i] ? direction::buy : direction::sell,
                          trusts[i] ? vote_side::trust : vote_side::distrust, votes[i], funds[i], at[i], std::nullopt});
  return out;
}

/// The points of a page that trades left; `where` is not empty.
void add_prices(connection& on, market::price_list& to, const market::get_prices& query, const page_place& where,
                steady_time deadline) {
  const auto found = rows_of(on, market_trades_prices_sql, query.market.value, of_market.names[0], where,
                             query.slice.limit, std::nullopt, deadline);
  const column<timestamp> at{found, "at"};
  const column<wei> trust{found, "trust_price_after"};
  const column<wei> distrust{found, "distrust_price_after"};
  for (int i = 0; i < found.count(); ++i)
    to.values.push_back({at[i], trust[i], distrust[i]});
}

} // namespace

market::price_list read(connection& on, const market::get_prices& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  transaction snapshot{on, deadline, begin_snapshot};
  market::price_list out;
  if (const auto start = on.run(start_sql, parameters{}.int4(query.market.value), deadline); !start.empty()) {
    const auto where = place_of(on, of_market.place, query.market.value, of_market.names[0], query.slice, deadline);
    out.total = where.total + 1; // the beginning is one, too
    const auto end = std::int64_t{query.slice.offset} + query.slice.limit;
    if (query.slice.offset < out.total && end >= out.total) {
      const auto at =
        market::lmsr_point::at({start.first<std::int64_t>("liquidity"), start.first<wei>("base_price")}, {}).value();
      out.values.push_back({start.first<timestamp>("created_at"), at.trust_price(), at.distrust_price()});
    }
    if (!where.empty)
      add_prices(on, out, query, where, deadline);
  }
  snapshot.commit(deadline);
  return out;
}

market::trade_list read(connection& on, const market::get_market_trades& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  transaction snapshot{on, deadline, begin_snapshot};
  auto out = read_trades(on, of_market, query.market.value, query.side, query.slice, deadline);
  snapshot.commit(deadline);
  return out;
}

market::trade_list read(connection& on, const market::get_activity& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  transaction snapshot{on, deadline, begin_snapshot};
  market::trade_list out{{}, 0, query.slice};
  if (const auto who = owner_of(on, query.who, deadline))
    out = read_trades(on, of_trader, who->value, query.side, query.slice, deadline);
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
