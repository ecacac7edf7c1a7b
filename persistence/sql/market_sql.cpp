#include "actors/funds/funds_types.hpp"
#include "actors/market/boards.hpp"
#include "persistence/sql/market_lists_sql.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Money and markets: statements and row mapping.
namespace credence::persistence {

namespace {

using market::direction;
using market::vote_side;

// One statement, so one snapshot: the number and the balances belong together.
constexpr auto market_wallets_sql =
  "SELECT k.place, coalesce((SELECT balance FROM wei_accounts WHERE profile_id = k.id), 0) AS balance,"
  " coalesce((SELECT last_seq FROM batches WHERE shard = 1 ORDER BY sequence DESC LIMIT 1), 0) AS as_of"
  " FROM unnest($1::int4[]) WITH ORDINALITY k(id, place)";
constexpr auto found_transfer_sql = "SELECT FROM wei_transfers WHERE seq = $1::int8 AND profile_id = $2::int4";

constexpr auto book_sql = "SELECT tier, liquidity, base_price, creation_cost, locked, pool, bought, sold, trust, "
                          "distrust, trades, created_at, updated_at, frozen"
                          " FROM markets WHERE profile_id = $1::int4";
// With a bound that the planner knows.
static_assert(market::positions_at_once == 5000);
constexpr auto market_positions_sql = "SELECT * FROM (SELECT trader_id, trust, distrust FROM market_positions WHERE "
                                      "market_id = $1::int4 AND trader_id > $2::int4"
                                      " ORDER BY trader_id LIMIT 5000) next LIMIT $3::int4";
constexpr auto position_sql =
  "SELECT trust, distrust FROM market_positions WHERE market_id = $1::int4 AND trader_id = $2::int4";
constexpr auto market_trades_sql = "SELECT coalesce((SELECT trades FROM markets WHERE profile_id = $1::int4), 0)";
// Trades of either side lie together, so both are looked at.
constexpr auto before_sql =
  "SELECT at, volume_after, trust_price_after, bought_after FROM ("
  " (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades"
  "  WHERE market_id = $1::int4 AND trusts AND at <= $2::timestamptz ORDER BY at DESC, number DESC LIMIT 1) UNION ALL"
  " (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades"
  "  WHERE market_id = $1::int4 AND NOT trusts AND at <= $2::timestamptz ORDER BY at DESC, number DESC LIMIT 1)) sides"
  " ORDER BY at DESC, number DESC LIMIT 1";
constexpr auto market_within_sql =
  "SELECT at, volume_after, trust_price_after, bought_after FROM ("
  " (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades"
  "  WHERE market_id = $1::int4 AND trusts AND at > $2::timestamptz ORDER BY at, number LIMIT $3::int4) UNION ALL"
  " (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades"
  "  WHERE market_id = $1::int4 AND NOT trusts AND at > $2::timestamptz ORDER BY at, number LIMIT $3::int4)) sides"
  " ORDER BY at, number LIMIT $3::int4";
constexpr auto face_sql = "SELECT (SELECT address FROM addresses WHERE user_id = u.id AND kind = 'primary') AS "
                          "address, u.avatar_url, u.score, u.display_name,"
                          " (SELECT username FROM attestations WHERE user_id = u.id AND service || '' = 'x.com' AND "
                          "NOT archived ORDER BY id + 0 DESC LIMIT 1)"
                          "  AS x_username FROM profiles p JOIN users u ON u.id = p.user_id WHERE p.id = $1::int4";
const auto trade_sql_text = "SELECT " + column_list(fact<market::traded>::fields)
                            + ","
                              " (SELECT CASE WHEN t.trusts THEN p.trust ELSE p.distrust END FROM market_positions p"
                              "  WHERE p.market_id = t.market_id AND p.trader_id = t.trader_id) AS held"
                              " FROM market_trades t WHERE trader_id = $1::int4 AND trusts IN (true, false) AND seq = "
                              "$2::int8 AND market_id = $3::int4";

using market::window_entry;
constexpr auto window_fields = CREDENCE_FIELDS(window_entry, at, volume_after, trust_price_after, bought_after);

market::stored_window read_window_here(connection& on, const market::load_window& query,
                                       const market::stored_book& book, steady_time deadline) {
  constexpr auto most = static_cast<std::int32_t>(market::day_window::kept_max);
  market::stored_window out;
  out.before =
    first_of(on.run(before_sql, with(query.market, query.from), deadline), window_fields)
      .value_or(window_entry{book.created_at, 0, market::lmsr_point::at(book.how, {}).value().trust_price(), 0});
  out.within = all_of(on.run(market_within_sql, with(query.market, query.from, most), deadline), window_fields);
  out.all = out.within.size() < static_cast<std::size_t>(most);
  out.trades = book.trades;
  return out;
}

std::optional<market::stored_book> read_book(connection& on, market_id market, steady_time deadline) {
  static constexpr auto fields =
    CREDENCE_FIELDS(market::stored_book, (tier, kind), (liquidity, how, &market::curve::liquidity),
                    (base_price, how, &market::curve::base_price), creation_cost, locked, pool, bought, sold,
                    (trust, votes, &market::vote_counts::trust), (distrust, votes, &market::vote_counts::distrust),
                    trades, created_at, updated_at, frozen);
  return first_of(on.run(book_sql, with(market), deadline), fields);
}

std::vector<market::position> positions_from(connection& on, const market::load_positions& query,
                                             steady_time deadline) {
  return all_of(on.run(market_positions_sql, with(query.market, query.after, query.most), deadline),
                CREDENCE_FIELDS(market::position, (trader_id, who), trust, distrust));
}

const statement move_funds{"move_funds", insert_one<funds::funds_moved>("wei_transfers")};
const statement insert_trades{"insert_trades", insert_all<market::traded>("market_trades")};
const statement insert_freezes{"insert_freezes", insert_one<market::market_frozen_set>("market_freezes")};
const statement pay_for_market{"pay_for_market",
                               "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount)"
                               " VALUES ($1::int8, $2::timestamptz, $3::int4, 'CREATION', $4::numeric)"};
const statement open_market{
  "open_market",
  "INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, updated_at,"
  " trust_price, distrust_price) VALUES ($1::int4, $2::text, $3::int8, $4::numeric, $5::numeric, $5::numeric,"
  " $6::int8, $7::timestamptz, $7::timestamptz, $8::numeric, $9::numeric)"};

} // namespace

fact_sql_ptr sql_of(kind<funds::funds_moved> it) { return written_in_turn(it, move_funds); }
number_column numbers_of(kind<funds::funds_moved>) { return {"wei_transfers"}; }

fact_sql_ptr sql_of(kind<market::market_opened> it) {
  return written_by(it, {&pay_for_market, &open_market}, [](const auto& opened, global_seq seq, batch_statements& to) {
    const auto start = market::lmsr_point::at(opened.how, {}).value();
    to.put(pay_for_market, with(seq, opened.at, opened.owner, opened.creation_cost));
    to.put(open_market, with(opened.owner, opened.kind, opened.how.liquidity, opened.how.base_price,
                             opened.creation_cost, seq, opened.at, start.trust_price(), start.distrust_price()));
  });
}
number_column numbers_of(kind<market::market_opened>) { return {"wei_transfers"}; } // of what is paid for it

fact_sql_ptr sql_of(kind<market::traded> it) { return written_together(it, insert_trades); }
number_column numbers_of(kind<market::traded>) { return {"market_trades"}; }

/// Behind trades, as the database takes none on a frozen market.
fact_sql_ptr sql_of(kind<market::market_frozen_set> it) {
  return behind<market::traded>(written_in_turn(it, insert_freezes));
}
number_column numbers_of(kind<market::market_frozen_set>) { return {"market_freezes"}; }

/// Balances in the order asked, with the number they are as of; zero for who never had one.
std::vector<funds::stored_funds> read(connection& on, std::span<const funds::load_funds> whose, steady_time deadline) {
  using of = funds::stored_funds;
  const auto found = on.run(market_wallets_sql, with(array_of(whose, &funds::load_funds::profile)), deadline);
  const auto stored = records_in(found, CREDENCE_FIELDS(of, balance, as_of));
  const places place{found};
  std::vector<of> out(whose.size());
  for (int i = 0; i < found.count(); ++i)
    out.at(place[i]) = stored[i];
  return out;
}
load_handler handler(asked<funds::load_funds> it) { return reads<load_in_groups, funds::storage>(it); }

funds::stored_transfer read(connection& on, const funds::load_transfer& query, steady_time deadline) {
  return {!on.run(found_transfer_sql, with(query.transfer, query.profile), deadline).empty()};
}
load_handler handler(asked<funds::load_transfer> it) { return reads<load_by_key, funds::storage>(it); }

/// What one profile holds of a market.
market::position read(connection& on, const market::load_position& query, steady_time deadline) {
  using of = market::position;
  auto out =
    first_of(on.run(position_sql, with(query.market, query.who), deadline), CREDENCE_FIELDS(of, trust, distrust))
      .value_or(of{});
  out.who = query.who;
  return out;
}
load_handler handler(asked<market::load_position> it) { return reads<load_by_key, market::storage>(it); }

/// The next positions of a market, of one snapshot.
market::stored_positions read(connection& on, const market::load_positions& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  market::stored_positions out{positions_from(on, query, deadline), 0};
  out.trades = on.run(market_trades_sql, with(query.market), deadline).value<std::int64_t>();
  return out;
}
load_handler handler(asked<market::load_positions> it) { return reads<load_by_key, market::storage>(it); }

market::face read(connection& on, const market::load_face& query, steady_time deadline) {
  return first_of(on.run(face_sql, with(query.whose), deadline), face_fields).value_or(market::face{});
}
load_handler handler(asked<market::load_face> it) { return reads<load_by_key, market::storage>(it); }

/// A market with its first positions, of one snapshot.
market::stored_market read(connection& on, const market::load_market& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  market::stored_market out;
  out.whose = read(on, market::load_face{market::owner_of(query.market)}, deadline);
  out.book = read_book(on, query.market, deadline);
  if (out.book) {
    out.positions = positions_from(on, {query.market, {}, market::positions_at_once}, deadline);
    out.window = read_window_here(on, {query.market, query.window_from}, *out.book, deadline);
  }
  return out;
}
load_handler handler(asked<market::load_market> it) { return reads<load_by_key, market::storage>(it); }

market::stored_window read(connection& on, const market::load_window& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  const auto book = read_book(on, query.market, deadline);
  return book ? read_window_here(on, query, *book, deadline) : market::stored_window{};
}
load_handler handler(asked<market::load_window> it) { return reads<load_by_key, market::storage>(it); }

market::stored_trade read(connection& on, const market::load_trade& query, steady_time deadline) {
  const auto found = on.run(trade_sql_text.c_str(), with(query.trader, query.trade, query.market), deadline);
  auto trade = first_of(found, fact<market::traded>::fields);
  if (!trade)
    return {};
  return {std::move(trade), found.first<std::int64_t>("held")};
}
load_handler handler(asked<market::load_trade> it) { return reads<load_by_key, market::storage>(it); }

} // namespace credence::persistence
