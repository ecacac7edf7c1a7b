#include "persistence/sql/market_sql.hpp"

#include "actors/market/day_window.hpp"
#include "persistence/sql/people_sql.hpp"

#include <algorithm>
#include <cstring>

namespace credence::persistence {

namespace {

using market::direction;
using market::vote_side;

std::string_view word_of(market::tier kind) { return market::tier_names[static_cast<std::size_t>(kind)]; }

// One statement, so one snapshot: the number and the balances belong together.
constexpr auto wallets_sql =
  "SELECT k.n, coalesce((SELECT balance FROM wei_accounts WHERE profile_id = k.id), 0),"
  " coalesce((SELECT last_seq FROM batches WHERE shard = 1 ORDER BY sequence DESC LIMIT 1), 0)"
  " FROM unnest($1::int4[]) WITH ORDINALITY k(id, n)";
constexpr auto found_transfer_sql = "SELECT FROM wei_transfers WHERE seq = $1::int8 AND profile_id = $2::int4";

constexpr auto book_sql =
  "SELECT tier, liquidity, base_price, creation_cost, locked, pool, bought, sold, trust, distrust, trades, created_at, updated_at"
  " FROM markets WHERE profile_id = $1::int4";
// With a bound that the planner knows.
static_assert(market::positions_at_once == 5000);
constexpr auto positions_sql =
  "SELECT * FROM (SELECT trader_id, trust, distrust FROM market_positions WHERE market_id = $1::int4 AND trader_id > $2::int4"
  " ORDER BY trader_id LIMIT 5000) next LIMIT $3::int4";
constexpr auto position_sql = "SELECT trust, distrust FROM market_positions WHERE market_id = $1::int4 AND trader_id = $2::int4";
constexpr auto trades_sql = "SELECT coalesce((SELECT trades FROM markets WHERE profile_id = $1::int4), 0)";
// Trades of either side lie together, so both are looked at.
constexpr auto before_sql =
  "SELECT at, volume_after, trust_price_after, bought_after FROM ("
  " (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades"
  "  WHERE market_id = $1::int4 AND trusts AND at <= $2::timestamptz ORDER BY at DESC, number DESC LIMIT 1) UNION ALL"
  " (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades"
  "  WHERE market_id = $1::int4 AND NOT trusts AND at <= $2::timestamptz ORDER BY at DESC, number DESC LIMIT 1)) sides"
  " ORDER BY at DESC, number DESC LIMIT 1";
constexpr auto within_sql =
  "SELECT at, volume_after, trust_price_after, bought_after FROM ("
  " (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades"
  "  WHERE market_id = $1::int4 AND trusts AND at > $2::timestamptz ORDER BY at, number LIMIT $3::int4) UNION ALL"
  " (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades"
  "  WHERE market_id = $1::int4 AND NOT trusts AND at > $2::timestamptz ORDER BY at, number LIMIT $3::int4)) sides"
  " ORDER BY at, number LIMIT $3::int4";
constexpr auto face_sql =
  "SELECT (SELECT address FROM addresses WHERE user_id = u.id AND kind = 'primary'), u.avatar_url, u.score, u.display_name,"
  " (SELECT username FROM attestations WHERE user_id = u.id AND service || '' = 'x.com' AND NOT archived ORDER BY id + 0 DESC LIMIT 1)"
  " FROM profiles p JOIN users u ON u.id = p.user_id WHERE p.id = $1::int4";
constexpr auto trade_sql =
  "SELECT number, buys, trusts, votes, cost, protocol_fee, donation, drawn, trust_after, distrust_after, trust_price_after,"
  " distrust_price_after, volume_after, bought_after, at,"
  " (SELECT CASE WHEN t.trusts THEN p.trust ELSE p.distrust END FROM market_positions p"
  "  WHERE p.market_id = t.market_id AND p.trader_id = t.trader_id)"
  " FROM market_trades t WHERE trader_id = $1::int4 AND trusts IN (true, false) AND seq = $2::int8 AND market_id = $3::int4";

market::window_entry entry_from(const rows& from, int row) {
  return {from.time(row, 0), from.numeric(row, 1), from.numeric(row, 2), from.numeric(row, 3)};
}

market::stored_window read_window_here(connection& on, const market::load_window& asked, const market::stored_book& book,
                                       steady_time deadline) {
  constexpr auto most = static_cast<std::int32_t>(market::day_window::kept_max);
  const auto with = [&] { return parameters{}.int4(asked.market.value).time(asked.from); };
  const auto before = on.run(before_sql, with(), deadline);
  const auto within = on.run(within_sql, with().int4(most), deadline);
  market::stored_window out;
  out.before = before.empty()
                 ? market::window_entry{book.created_at, 0, market::lmsr_point::at(book.how, {}).value().trust_price(), 0}
                 : entry_from(before, 0);
  for (int i = 0; i < within.count(); ++i)
    out.within.push_back(entry_from(within, i));
  out.all = within.count() < most;
  out.trades = book.trades;
  return out;
}

std::optional<market::stored_book> read_book(connection& on, profile_id of, steady_time deadline) {
  const auto found = on.run(book_sql, parameters{}.int4(of.value), deadline);
  if (found.empty())
    return std::nullopt;
  return market::stored_book{.kind = tier_from(found.text(0, 0)),
                             .how = {found.int8(0, 1), found.numeric(0, 2)},
                             .creation_cost = found.numeric(0, 3),
                             .locked = found.numeric(0, 4),
                             .pool = found.numeric(0, 5),
                             .bought = found.numeric(0, 6),
                             .sold = found.numeric(0, 7),
                             .votes = {found.int8(0, 8), found.int8(0, 9)},
                             .trades = found.int8(0, 10),
                             .created_at = found.time(0, 11),
                             .updated_at = found.time(0, 12)};
}

std::vector<market::position> positions_from(connection& on, const market::load_positions& asked, steady_time deadline) {
  const auto found = on.run(positions_sql, parameters{}.int4(asked.market.value).int4(asked.after.value).int4(asked.most), deadline);
  std::vector<market::position> out;
  out.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    out.push_back({profile_id{found.int4(i, 0)}, found.int8(i, 1), found.int8(i, 2)});
  return out;
}

} // namespace

market::tier tier_from(std::string_view word) {
  const auto found = std::find(market::tier_names.begin(), market::tier_names.end(), word);
  return static_cast<market::tier>(found - market::tier_names.begin());
}

std::optional<address> maybe_address(const rows& from, int row, int column) {
  if (from.null(row, column))
    return std::nullopt;
  address out;
  std::memcpy(out.bytes.data(), from.text(row, column).data(), out.bytes.size());
  return out;
}

const statement move_funds{"move_funds", fact_columns<wallet::funds_moved>::insert_into("wei_transfers")};
const statement insert_trades{"insert_trades", fact_columns<market::traded>::insert_into("market_trades")};

namespace {

const statement pay_for_market{
  "pay_for_market", "INSERT INTO wei_transfers (seq, at, profile_id, kind, amount)"
                    " VALUES ($1::int8, $2::timestamptz, $3::int4, 'CREATION', $4::numeric)"};
const statement open_market{
  "open_market", "INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, updated_at,"
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

std::vector<wallet::stored_wallet> read_wallets(connection& on, std::span<const wallet::load_wallet> whose, steady_time deadline) {
  binary_array ids{sql_type::int4};
  for (const auto& each : whose)
    ids.int4(each.profile.value);
  const auto found = on.run(wallets_sql, parameters{}.array(ids), deadline);
  std::vector<wallet::stored_wallet> out(whose.size());
  for (int i = 0; i < found.count(); ++i)
    out.at(static_cast<std::size_t>(found.int8(i, 0) - 1)) = {found.numeric(i, 1), found.int8(i, 2)};
  return out;
}

wallet::stored_transfer read_transfer(connection& on, const wallet::load_transfer& asked, steady_time deadline) {
  return {!on.run(found_transfer_sql, parameters{}.int8(asked.transfer).int4(asked.profile.value), deadline).empty()};
}

market::position read_position(connection& on, const market::load_position& asked, steady_time deadline) {
  const auto found = on.run(position_sql, parameters{}.int4(asked.market.value).int4(asked.who.value), deadline);
  return found.empty() ? market::position{asked.who, 0, 0} : market::position{asked.who, found.int8(0, 0), found.int8(0, 1)};
}

market::stored_positions read_positions(connection& on, const market::load_positions& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::stored_positions out{positions_from(on, asked, deadline), 0};
  out.trades = on.run(trades_sql, parameters{}.int4(asked.market.value), deadline).int8(0, 0);
  snapshot.commit(deadline);
  return out;
}

market::stored_market read_market(connection& on, const market::load_market& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::stored_market out;
  out.whose = read_face(on, asked.market, deadline);
  out.book = read_book(on, asked.market, deadline);
  if (out.book) {
    out.positions = positions_from(on, {asked.market, {}, market::positions_at_once}, deadline);
    out.window = read_window_here(on, {asked.market, asked.window_from}, *out.book, deadline);
  }
  snapshot.commit(deadline);
  return out;
}

market::stored_window read_window(connection& on, const market::load_window& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  const auto book = read_book(on, asked.market, deadline);
  auto out = book ? read_window_here(on, asked, *book, deadline) : market::stored_window{};
  snapshot.commit(deadline);
  return out;
}

market::face read_face(connection& on, profile_id whose, steady_time deadline) {
  const auto found = on.run(face_sql, parameters{}.int4(whose.value), deadline);
  if (found.empty())
    return {};
  return {maybe_address(found, 0, 0), std::string{found.text(0, 1)}, found.int4(0, 2), std::string{found.text(0, 3)},
          found.maybe_text(0, 4)};
}

market::stored_trade read_trade(connection& on, const market::load_trade& asked, steady_time deadline) {
  const auto found = on.run(trade_sql, parameters{}.int4(asked.trader.value).int8(asked.trade).int4(asked.market.value), deadline);
  if (found.empty())
    return {};
  return {market::traded{.market = asked.market,
                         .number = found.int8(0, 0),
                         .trader = asked.trader,
                         .way = found.boolean(0, 1) ? direction::buy : direction::sell,
                         .side = found.boolean(0, 2) ? vote_side::trust : vote_side::distrust,
                         .votes = found.int8(0, 3),
                         .cost = found.numeric(0, 4),
                         .protocol_fee = found.numeric(0, 5),
                         .donation = found.numeric(0, 6),
                         .drawn = found.numeric(0, 7),
                         .after = {found.int8(0, 8), found.int8(0, 9)},
                         .trust_price_after = found.numeric(0, 10),
                         .distrust_price_after = found.numeric(0, 11),
                         .volume_after = found.numeric(0, 12),
                         .bought_after = found.numeric(0, 13),
                         .at = found.time(0, 14)},
          found.int8(0, 15)};
}

} // namespace credence::persistence
