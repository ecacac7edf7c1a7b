#include "persistence/sql/market_sql.hpp"

#include "actors/market/day_window.hpp"
#include "persistence/sql/in_order.hpp"
#include "persistence/sql/market_words.hpp"

#include <utility>

namespace credence::persistence {

namespace {

using market::direction;
using market::vote_side;

std::string_view word_of(market::tier kind) { return market::tier_names[static_cast<std::size_t>(kind)]; }

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
constexpr auto trade_sql = "SELECT number, buys, trusts, votes, cost, protocol_fee, donation, drawn, trust_after, "
                           "distrust_after, trust_price_after,"
                           " distrust_price_after, volume_after, bought_after, at,"
                           " (SELECT CASE WHEN t.trusts THEN p.trust ELSE p.distrust END FROM market_positions p"
                           "  WHERE p.market_id = t.market_id AND p.trader_id = t.trader_id) AS held"
                           " FROM market_trades t WHERE trader_id = $1::int4 AND trusts IN (true, false) AND seq = "
                           "$2::int8 AND market_id = $3::int4";

std::vector<market::window_entry> entries_from(const rows& found) {
  const column<timestamp> at{found, "at"};
  const column<wei> volume{found, "volume_after"};
  const column<wei> trust_price{found, "trust_price_after"};
  const column<wei> bought{found, "bought_after"};
  std::vector<market::window_entry> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({at[i], volume[i], trust_price[i], bought[i]});
  return out;
}

market::stored_window read_window_here(connection& on, const market::load_window& query,
                                       const market::stored_book& book, steady_time deadline) {
  constexpr auto most = static_cast<std::int32_t>(market::day_window::kept_max);
  const auto with = [&] { return parameters{}.int4(query.market.value).time(query.from); };
  const auto before = entries_from(on.run(before_sql, with(), deadline));
  market::stored_window out;
  out.before = before.empty() ? market::window_entry{book.created_at, 0,
                                                     market::lmsr_point::at(book.how, {}).value().trust_price(), 0}
                              : before.front();
  out.within = entries_from(on.run(market_within_sql, with().int4(most), deadline));
  out.all = out.within.size() < static_cast<std::size_t>(most);
  out.trades = book.trades;
  return out;
}

std::optional<market::stored_book> read_book(connection& on, market_id of, steady_time deadline) {
  const auto found = on.run(book_sql, parameters{}.int4(of.value), deadline);
  if (found.empty())
    return std::nullopt;
  return market::stored_book{.kind = found.first<market::tier>("tier"),
                             .how = {found.first<std::int64_t>("liquidity"), found.first<wei>("base_price")},
                             .creation_cost = found.first<wei>("creation_cost"),
                             .locked = found.first<wei>("locked"),
                             .pool = found.first<wei>("pool"),
                             .bought = found.first<wei>("bought"),
                             .sold = found.first<wei>("sold"),
                             .votes = {found.first<std::int64_t>("trust"), found.first<std::int64_t>("distrust")},
                             .trades = found.first<std::int64_t>("trades"),
                             .created_at = found.first<timestamp>("created_at"),
                             .updated_at = found.first<timestamp>("updated_at"),
                             .frozen = found.first<bool>("frozen")};
}

std::vector<market::position> positions_from(connection& on, const market::load_positions& query,
                                             steady_time deadline) {
  const auto found = on.run(market_positions_sql,
                            parameters{}.int4(query.market.value).int4(query.after.value).int4(query.most), deadline);
  const column<profile_id> trader{found, "trader_id"};
  const column<std::int64_t> trust{found, "trust"};
  const column<std::int64_t> distrust{found, "distrust"};
  std::vector<market::position> out;
  out.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    out.push_back({trader[i], trust[i], distrust[i]});
  return out;
}

} // namespace

const statement move_funds{"move_funds", fact_columns<funds::funds_moved>::insert_into("wei_transfers")};
const statement insert_trades{"insert_trades", fact_columns<market::traded>::insert_into("market_trades")};
const statement insert_freezes{"insert_freezes",
                               fact_columns<market::market_frozen_set>::insert_into("market_freezes")};

namespace {

const statement pay_for_market{"pay_for_market",
                               "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount)"
                               " VALUES ($1::int8, $2::timestamptz, $3::int4, 'CREATION', $4::numeric)"};
const statement open_market{
  "open_market",
  "INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, updated_at,"
  " trust_price, distrust_price) VALUES ($1::int4, $2::text, $3::int8, $4::numeric, $5::numeric, $5::numeric,"
  " $6::int8, $7::timestamptz, $7::timestamptz, $8::numeric, $9::numeric)"};

} // namespace

statements_used sql_of<market::market_opened>::used() { return {&pay_for_market, &open_market}; }

void sql_of<market::market_opened>::add(const market::market_opened& opened, global_seq seq, batch_statements& to) {
  const auto start = market::lmsr_point::at(opened.how, {}).value();
  to.put(pay_for_market, parameters{}.int8(seq).time(opened.at).int4(opened.owner.value).numeric(opened.creation_cost));
  to.put(open_market, parameters{}
                        .int4(opened.owner.value)
                        .text(word_of(opened.kind))
                        .int8(opened.how.liquidity)
                        .numeric(opened.how.base_price)
                        .numeric(opened.creation_cost)
                        .int8(seq)
                        .time(opened.at)
                        .numeric(start.trust_price())
                        .numeric(start.distrust_price()));
}

std::vector<funds::stored_funds> read(connection& on, std::span<const funds::load_funds> whose, steady_time deadline) {
  auto ids = ids_of(whose, &funds::load_funds::profile);
  const auto found = on.run(market_wallets_sql, parameters{}.array(ids), deadline);
  const places place{found};
  const column<wei> balance{found, "balance"};
  const column<global_seq> as_of{found, "as_of"};
  std::vector<funds::stored_funds> out(whose.size());
  for (int i = 0; i < found.count(); ++i)
    out.at(place[i]) = {balance[i], as_of[i]};
  return out;
}

funds::stored_transfer read(connection& on, const funds::load_transfer& query, steady_time deadline) {
  return {!on.run(found_transfer_sql, parameters{}.int8(query.transfer).int4(query.profile.value), deadline).empty()};
}

market::position read(connection& on, const market::load_position& query, steady_time deadline) {
  const auto found = on.run(position_sql, parameters{}.int4(query.market.value).int4(query.who.value), deadline);
  if (found.empty())
    return {query.who, 0, 0};
  return {query.who, found.first<std::int64_t>("trust"), found.first<std::int64_t>("distrust")};
}

market::stored_positions read(connection& on, const market::load_positions& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::stored_positions out{positions_from(on, query, deadline), 0};
  out.trades = on.run(market_trades_sql, parameters{}.int4(query.market.value), deadline).value<std::int64_t>();
  snapshot.commit(deadline);
  return out;
}

market::stored_market read(connection& on, const market::load_market& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::stored_market out;
  out.whose = read(on, market::load_face{market::owner_of(query.market)}, deadline);
  out.book = read_book(on, query.market, deadline);
  if (out.book) {
    out.positions = positions_from(on, {query.market, {}, market::positions_at_once}, deadline);
    out.window = read_window_here(on, {query.market, query.window_from}, *out.book, deadline);
  }
  snapshot.commit(deadline);
  return out;
}

market::stored_window read(connection& on, const market::load_window& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  const auto book = read_book(on, query.market, deadline);
  auto out = book ? read_window_here(on, query, *book, deadline) : market::stored_window{};
  snapshot.commit(deadline);
  return out;
}

market::face read(connection& on, const market::load_face& query, steady_time deadline) {
  const auto found = on.run(face_sql, parameters{}.int4(query.whose.value), deadline);
  if (found.empty())
    return {};
  return {found.first<std::optional<address>>("address"), found.first<std::string>("avatar_url"),
          found.first<std::int32_t>("score"), found.first<std::string>("display_name"),
          found.first<std::optional<std::string>>("x_username")};
}

market::stored_trade read(connection& on, const market::load_trade& query, steady_time deadline) {
  const auto found =
    on.run(trade_sql, parameters{}.int4(query.trader.value).int8(query.trade).int4(query.market.value), deadline);
  if (found.empty())
    return {};
  market::traded trade{
    .market = query.market,
    .number = found.first<std::int64_t>("number"),
    .trader = query.trader,
    .way = found.first<bool>("buys") ? direction::buy : direction::sell,
    .side = found.first<bool>("trusts") ? vote_side::trust : vote_side::distrust,
    .votes = found.first<std::int64_t>("votes"),
    .cost = found.first<wei>("cost"),
    .protocol_fee = found.first<wei>("protocol_fee"),
    .donation = found.first<wei>("donation"),
    .drawn = found.first<wei>("drawn"),
    .after = {found.first<std::int64_t>("trust_after"), found.first<std::int64_t>("distrust_after")},
    .trust_price_after = found.first<wei>("trust_price_after"),
    .distrust_price_after = found.first<wei>("distrust_price_after"),
    .volume_after = found.first<wei>("volume_after"),
    .bought_after = found.first<wei>("bought_after"),
    .at = found.first<timestamp>("at"),
  };
  return {std::move(trade), found.first<std::int64_t>("held")};
}

} // namespace credence::persistence
