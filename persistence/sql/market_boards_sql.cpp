#include "persistence/sql/market_lists_sql.hpp"

/// What the boards count, piece by piece.
namespace credence::persistence {

namespace {

// The next rows in the order of a primary key, with a bound that the planner knows.
static_assert(market::board_rows_at_once == 5000);
constexpr auto board_prices_sql =
  "SELECT * FROM (SELECT profile_id, trust_price, distrust_price FROM markets WHERE profile_id > $1::int4"
  " ORDER BY profile_id LIMIT 5000) next LIMIT $2::int4";
constexpr auto board_shares_sql =
  "SELECT * FROM (SELECT market_id, trader_id, trust, distrust FROM market_positions"
  " WHERE (market_id, trader_id) > ($1::int4, $2::int4) ORDER BY market_id, trader_id LIMIT 5000) next LIMIT $3::int4";
constexpr auto board_traders_sql =
  "SELECT * FROM (SELECT profile_id, bought, sold FROM wei_accounts WHERE profile_id > $1::int4"
  " ORDER BY profile_id LIMIT 5000) next LIMIT $2::int4";
constexpr auto board_points_sql = "SELECT * FROM (SELECT id, balance FROM xp_accounts WHERE id > greatest($1::int4, 0) "
                                  "ORDER BY id LIMIT 5000) next LIMIT $2::int4";
constexpr auto as_of_sql =
  "SELECT coalesce((SELECT last_seq FROM batches WHERE shard = 1 ORDER BY sequence DESC LIMIT 1), 0)";

void add_prices(market::stored_boards& to, const rows& found) {
  const column<market_id> market{found, "profile_id"};
  const column<wei> trust{found, "trust_price"};
  const column<wei> distrust{found, "distrust_price"};
  for (int i = 0; i < found.count(); ++i)
    to.prices.push_back({market[i], trust[i], distrust[i]});
}

void add_shares(market::stored_boards& to, const rows& found) {
  const column<market_id> market{found, "market_id"};
  const column<profile_id> trader{found, "trader_id"};
  const column<std::int64_t> trust{found, "trust"};
  const column<std::int64_t> distrust{found, "distrust"};
  for (int i = 0; i < found.count(); ++i)
    to.shares.push_back({market[i], trader[i], trust[i], distrust[i]});
}

void add_traders(market::stored_boards& to, const rows& found) {
  const column<profile_id> trader{found, "profile_id"};
  const column<wei> bought{found, "bought"};
  const column<wei> sold{found, "sold"};
  for (int i = 0; i < found.count(); ++i)
    to.traders.push_back({trader[i], bought[i], sold[i]});
}

void add_points(market::stored_boards& to, const rows& found) {
  const column<profile_id> who{found, "id"};
  const column<std::int64_t> balance{found, "balance"};
  for (int i = 0; i < found.count(); ++i)
    to.xp.push_back({who[i], balance[i]});
}

} // namespace

market::stored_boards read(connection& on, const market::load_boards& query, steady_time deadline) {
  using enum market::board_part;
  transaction snapshot{on, deadline, begin_snapshot};
  market::stored_boards out;
  const auto market = query.after_market.value;
  const auto who = query.after_who.value;
  const auto most = query.most;
  switch (query.part) {
    case prices: add_prices(out, on.run(board_prices_sql, parameters{}.int4(market).int4(most), deadline)); break;
    case shares:
      add_shares(out, on.run(board_shares_sql, parameters{}.int4(market).int4(who).int4(most), deadline));
      break;
    case traders: add_traders(out, on.run(board_traders_sql, parameters{}.int4(who).int4(most), deadline)); break;
    case points: add_points(out, on.run(board_points_sql, parameters{}.int4(who).int4(most), deadline)); break;
  }
  out.as_of = on.run(as_of_sql, {}, deadline).value<global_seq>();
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
