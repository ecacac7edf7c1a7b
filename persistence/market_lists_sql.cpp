#include "persistence/market_lists_sql.hpp"

#include "actors/market/market_state.hpp"
#include "config/limits.hpp"
#include "persistence/market_sql.hpp"
#include "persistence/people_sql.hpp"

#include <string>

namespace credence::persistence {

namespace {

using market::direction;
using market::vote_side;

// A market as everybody sees it, of the rows `ids` (id, place). What was a day ago ($1) is
// the last trade before that, which is one descent of an index.
#define CREDENCE_MARKET_VIEWS                                                                                                   \
  " SELECT m.profile_id, m.tier, m.liquidity, m.base_price, m.creation_cost, m.trust, m.distrust, m.trust_price, m.distrust_price," \
  " m.created_at, m.updated_at, m.trades, m.bought, m.sold,"                                                                    \
  " coalesce(d.volume_after, 0), d.trust_price_after,"                                                             \
  " (SELECT a.address FROM addresses a WHERE a.user_id = u.id AND a.kind = 'primary'), u.avatar_url, u.score, u.display_name,"  \
  " (SELECT t.username FROM attestations t WHERE t.user_id = u.id AND t.service || '' = 'x.com' AND NOT t.archived"                   \
  "  ORDER BY t.id + 0 DESC LIMIT 1)"                                                                                           \
  " FROM ids JOIN LATERAL (SELECT * FROM markets WHERE profile_id = ids.id LIMIT 1) m ON true"                                  \
  " JOIN LATERAL (SELECT * FROM profiles WHERE id = ids.id LIMIT 1) p ON true"                                                  \
  " JOIN LATERAL (SELECT * FROM users WHERE id = p.user_id LIMIT 1) u ON true"                                                  \
  " LEFT JOIN LATERAL (SELECT volume_after, trust_price_after FROM market_trades t WHERE t.market_id = ids.id"                  \
  "  AND t.at <= $1::timestamptz ORDER BY t.at DESC, t.number DESC LIMIT 1) d ON true ORDER BY ids.place"

// By the account's owner, never by the index on services, which a plan made on an empty table prefers.
#define CREDENCE_NAMES                                                                                                          \
  " SELECT pg_current_snapshot()::text, n.* FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT m.profile_id, m.seq, m.bought + m.sold, u.username, u.display_name, left(u.description, $3::int4)," \
  "  (SELECT string_agg(t.username, E'\n' ORDER BY t.id) FROM attestations t"                                                 \
  "   WHERE t.user_id = u.id AND t.service || '' = 'x.com' AND NOT t.archived)"                                                  \
  "  FROM ids JOIN LATERAL (SELECT * FROM markets WHERE profile_id = ids.id LIMIT 1) m ON true"                                 \
  "  JOIN LATERAL (SELECT * FROM profiles WHERE id = ids.id LIMIT 1) p ON true"                                                \
  "  JOIN LATERAL (SELECT * FROM users WHERE id = p.user_id LIMIT 1) u ON true) n ON true ORDER BY n.profile_id"
constexpr auto all_names_sql =
  "WITH ids AS MATERIALIZED (SELECT market_id AS id FROM market_names WHERE market_id > $1::int4 ORDER BY market_id LIMIT $2::int4)" CREDENCE_NAMES;
// Exactly those that were committed since: what was under way then is above the oldest of it.
// What is above all that is under way now was restored from a server that counted further.
// By the index on what changed, never by that on markets, so the order is not its column's.
constexpr auto new_names_sql =
  "WITH ids AS MATERIALIZED (SELECT market_id AS id FROM market_names"
  "  WHERE changed >= pg_snapshot_xmin($4::text::pg_snapshot) AND NOT pg_visible_in_snapshot(changed, $4::text::pg_snapshot)"
  "  AND changed < pg_snapshot_xmax(pg_current_snapshot())"
  "  AND market_id + 0 > $1::int4 ORDER BY market_id + 0 LIMIT $2::int4)" CREDENCE_NAMES;
constexpr auto these_sql =
  "WITH ids AS (SELECT id, place FROM unnest($2::int4[]) WITH ORDINALITY AS k (id, place))" CREDENCE_MARKET_VIEWS;

constexpr auto prices_sql =
  "SELECT at, trust_price_after, distrust_price_after FROM (SELECT at, number, trust_price_after, distrust_price_after"
  " FROM market_trades WHERE market_id = $1::int4 ORDER BY at DESC, number DESC LIMIT $2::int4) newest ORDER BY at, number";
constexpr auto start_sql = "SELECT created_at, liquidity, base_price, trades FROM markets WHERE profile_id = $1::int4";

#define CREDENCE_TRADE_RECORD                                                                                         \
  "SELECT t.seq, t.market_id, (SELECT a.address FROM addresses a JOIN profiles o ON o.user_id = a.user_id"           \
  "  WHERE o.id = t.trader_id AND a.kind = 'primary'), t.buys, t.trusts, t.votes,"                                    \
  " CASE WHEN t.buys THEN t.cost + t.protocol_fee + t.donation ELSE t.cost - t.protocol_fee END, t.at FROM market_trades t"

constexpr auto market_trades_sql = CREDENCE_TRADE_RECORD
  " WHERE t.market_id = $1::int4 AND ($2::text = '' OR t.trusts = ($2::text = 'trust'))"
  " ORDER BY t.at DESC, t.number DESC LIMIT $3::int4 OFFSET $4::int4";
constexpr auto market_trades_count_sql =
  "SELECT coalesce((SELECT CASE $2::text WHEN '' THEN trades WHEN 'trust' THEN trust_trades ELSE trades - trust_trades END"
  " FROM markets WHERE profile_id = $1::int4), -1)";
constexpr auto owner_sql =
  "SELECT p.id FROM addresses a JOIN profiles p ON p.user_id = a.user_id WHERE a.address = $1::bytea";
constexpr auto activity_sql = CREDENCE_TRADE_RECORD
  " WHERE t.trader_id = $1::int4 AND ($2::text = '' OR t.trusts = ($2::text = 'trust'))"
  " ORDER BY t.seq DESC LIMIT $3::int4 OFFSET $4::int4";
constexpr auto activity_count_sql =
  "SELECT coalesce((SELECT CASE $2::text WHEN '' THEN trades WHEN 'trust' THEN trust_trades ELSE trades - trust_trades END"
  " FROM wei_accounts WHERE profile_id = $1::int4), 0)";
constexpr auto positions_sql =
  "SELECT p.market_id, p.trust * m.trust_price + p.distrust * m.distrust_price AS value"
  " FROM market_positions p JOIN markets m ON m.profile_id = p.market_id"
  " WHERE p.trader_id = $1::int4 AND (p.trust > 0 OR p.distrust > 0) ORDER BY value DESC, p.market_id";
constexpr auto volume_sql = "SELECT coalesce((SELECT bought + sold FROM wei_accounts WHERE profile_id = $1::int4), 0)";

constexpr auto shares_sql =
  "SELECT market_id, trader_id, trust, distrust FROM market_positions WHERE trust > 0 OR distrust > 0";
constexpr auto accounts_sql =
  "SELECT (SELECT a.address FROM addresses a JOIN profiles o ON o.user_id = a.user_id WHERE o.id = k.id AND a.kind = 'primary')"
  " FROM unnest($1::int4[]) WITH ORDINALITY AS k (id, place) ORDER BY k.place";

std::string_view word_of(const std::optional<vote_side>& side) {
  return side ? market::side_names[static_cast<std::size_t>(*side)] : std::string_view{};
}

market::market_view view_from(const rows& from, int row) {
  const market::curve how{from.int8(row, 2), from.numeric(row, 3)};
  const auto bought = from.numeric(row, 12);
  const auto sold = from.numeric(row, 13);
  const auto trust_price = from.numeric(row, 7);
  const auto then = from.null(row, 15) // nothing was traded before the last day: it began there
                      ? market::lmsr_point::at(how, {}).value().trust_price()
                      : from.numeric(row, 15);
  return {.id = profile_id{from.int4(row, 0)},
          .kind = tier_from(from.text(row, 1)),
          .how = how,
          .creation_cost = from.numeric(row, 4),
          .votes = {from.int8(row, 5), from.int8(row, 6)},
          .trust_price = trust_price,
          .distrust_price = from.numeric(row, 8),
          .created_at = from.time(row, 9),
          .updated_at = from.time(row, 10),
          .sequence = from.int8(row, 11),
          .market_cap = wei_change{bought} - wei_change{sold},
          .volume_total = bought + sold,
          .volume_24h = bought + sold - from.numeric(row, 14),
          .price_change_24h = market::percent_change(then, trust_price),
          .whose = {maybe_address(from, row, 16), std::string{from.text(row, 17)}, from.int4(row, 18),
                    std::string{from.text(row, 19)}, from.maybe_text(row, 20)}};
}

std::vector<market::market_view> views_from(const rows& from) {
  std::vector<market::market_view> out;
  out.reserve(static_cast<std::size_t>(from.count()));
  for (int i = 0; i < from.count(); ++i)
    out.push_back(view_from(from, i));
  return out;
}

std::vector<market::market_view> views_of(connection& on, binary_array& ids, timestamp now, steady_time deadline) {
  return views_from(on.run(these_sql, parameters{}.time(now - market::day_window::length).array(ids), deadline));
}

void add_lines(std::vector<std::string>& to, std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    to.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

std::optional<profile_id> owner_of(connection& on, const address& who, steady_time deadline) {
  const auto found = on.run(owner_sql, parameters{}.bytes(who.bytes), deadline);
  return found.empty() ? std::nullopt : std::optional{profile_id{found.int4(0, 0)}};
}

market::trade_list read_trades(connection& on, const char* rows_sql, const char* count, profile_id of,
                               const std::optional<vote_side>& side, page slice, steady_time deadline) {
  market::trade_list out{{}, 0, slice};
  out.total = on.run(count, parameters{}.int4(of.value).text(word_of(side)), deadline).int8(0, 0);
  if (out.total <= 0)
    return out;
  const auto found =
    on.run(rows_sql, parameters{}.int4(of.value).text(word_of(side)).int4(slice.limit).int4(slice.offset), deadline);
  for (int i = 0; i < found.count(); ++i)
    out.values.push_back({found.int8(i, 0), profile_id{found.int4(i, 1)}, maybe_address(found, i, 2),
                          found.boolean(i, 3) ? direction::buy : direction::sell,
                          found.boolean(i, 4) ? vote_side::trust : vote_side::distrust, found.int8(i, 5), found.numeric(i, 6),
                          found.time(i, 7)});
  return out;
}

} // namespace

market::stored_names read_names(connection& on, const market::load_names& asked, steady_time deadline) {
  auto with = parameters{}.int4(asked.after.value).int4(asked.most).int4(limits::searched_text_max);
  const auto found = asked.since.empty() ? on.run(all_names_sql, with, deadline) : on.run(new_names_sql, with.text(asked.since), deadline);
  market::stored_names out;
  out.as_of = found.text(0, 0);
  for (int i = 0; i < found.count() && !found.null(i, 1); ++i) {
    market::named_market each{profile_id{found.int4(i, 1)}, found.int8(i, 2), found.numeric(i, 3), {}, {}};
    for (const int column : {4, 5, 7})
      if (!found.null(i, column))
        add_lines(each.names, found.text(i, column));
    if (!found.null(i, 6))
      each.about = found.text(i, 6);
    out.markets.push_back(std::move(each));
  }
  return out;
}

std::vector<market::market_view> read_markets(connection& on, const market::get_markets& asked, steady_time deadline) {
  binary_array ids{sql_type::int4};
  for (const auto each : asked.owners)
    ids.int4(each.value);
  return views_of(on, ids, asked.now, deadline);
}

std::vector<market::price_point> read_prices(connection& on, const market::get_prices& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  std::vector<market::price_point> out;
  if (const auto start = on.run(start_sql, parameters{}.int4(asked.market.value), deadline); !start.empty()) {
    if (start.int8(0, 3) < asked.most) {
      const auto at = market::lmsr_point::at({start.int8(0, 1), start.numeric(0, 2)}, {}).value();
      out.push_back({start.time(0, 0), at.trust_price(), at.distrust_price()});
    }
    const auto found = on.run(prices_sql, parameters{}.int4(asked.market.value).int4(asked.most), deadline);
    for (int i = 0; i < found.count(); ++i)
      out.push_back({found.time(i, 0), found.numeric(i, 1), found.numeric(i, 2)});
  }
  snapshot.commit(deadline);
  return out;
}

market::trade_list read_market_trades(connection& on, const market::get_market_trades& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  auto out = read_trades(on, market_trades_sql, market_trades_count_sql, asked.market, asked.side, asked.slice, deadline);
  snapshot.commit(deadline);
  return out;
}

market::trade_list read_activity(connection& on, const market::get_activity& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::trade_list out{{}, 0, asked.slice};
  if (const auto who = owner_of(on, asked.who, deadline))
    out = read_trades(on, activity_sql, activity_count_sql, *who, asked.side, asked.slice, deadline);
  snapshot.commit(deadline);
  return out;
}

std::vector<market::holding> read_holdings(connection& on, const market::get_holdings& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  std::vector<market::holding> out;
  if (const auto who = owner_of(on, asked.who, deadline)) {
    const auto found = on.run(positions_sql, parameters{}.int4(who->value), deadline);
    binary_array ids{sql_type::int4};
    for (int i = 0; i < found.count(); ++i)
      ids.int4(found.int4(i, 0));
    auto views = views_of(on, ids, asked.now, deadline);
    for (int i = 0; i < found.count(); ++i)
      out.push_back({std::move(views.at(static_cast<std::size_t>(i))), found.numeric(i, 1)});
  }
  snapshot.commit(deadline);
  return out;
}

market::total_volume read_volume(connection& on, const market::get_volume& asked, steady_time deadline) {
  const auto who = owner_of(on, asked.who, deadline);
  return {who ? on.run(volume_sql, parameters{}.int4(who->value), deadline).numeric(0, 0) : wei{0}};
}

namespace {

void read_profit(connection& on, market::stored_boards& out, steady_time deadline) {
  const auto prices = on.run("SELECT profile_id, trust_price, distrust_price FROM markets", {}, deadline);
  for (int i = 0; i < prices.count(); ++i)
    out.prices.push_back({profile_id{prices.int4(i, 0)}, prices.numeric(i, 1), prices.numeric(i, 2)});
  const auto shares = on.run(shares_sql, {}, deadline);
  for (int i = 0; i < shares.count(); ++i)
    out.shares.push_back({profile_id{shares.int4(i, 0)}, profile_id{shares.int4(i, 1)}, shares.int8(i, 2), shares.int8(i, 3)});
  const auto traders = on.run("SELECT profile_id, bought, sold FROM wei_accounts WHERE bought > 0", {}, deadline);
  for (int i = 0; i < traders.count(); ++i)
    out.traders.push_back({profile_id{traders.int4(i, 0)}, traders.numeric(i, 1), traders.numeric(i, 2)});
}

} // namespace

market::stored_boards read_boards(connection& on, const market::load_boards& asked) {
  const auto deadline = deadline_in(std::chrono::seconds{30});
  transaction snapshot{on, deadline, begin_snapshot};
  market::stored_boards out;
  if (asked.profit)
    read_profit(on, out, deadline);
  const auto xp = on.run("SELECT id, balance FROM xp_accounts WHERE id > 0 AND balance > 0", {}, deadline);
  for (int i = 0; i < xp.count(); ++i)
    out.xp.push_back({profile_id{xp.int4(i, 0)}, xp.int8(i, 1)});
  out.as_of = on.run("SELECT coalesce((SELECT last_seq FROM batches WHERE shard = 1 ORDER BY sequence DESC LIMIT 1), 0)", {}, deadline)
                .int8(0, 0);
  snapshot.commit(deadline);
  return out;
}

market::stored_accounts read_accounts(connection& on, const market::load_accounts& asked, steady_time deadline) {
  binary_array ids{sql_type::int4};
  for (const auto each : asked.whose)
    ids.int4(each.value);
  const auto found = on.run(accounts_sql, parameters{}.array(ids), deadline);
  market::stored_accounts out;
  for (int i = 0; i < found.count(); ++i)
    out.accounts.push_back(maybe_address(found, i, 0));
  return out;
}

} // namespace credence::persistence
