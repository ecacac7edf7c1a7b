#include "persistence/sql/market_lists_sql.hpp"

#include "actors/market/market_state.hpp"
#include "config/limits.hpp"
#include "persistence/sql/market_sql.hpp"
#include "persistence/sql/page_place.hpp"
#include "persistence/sql/people_sql.hpp"

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
  " coalesce(d.volume_after, 0), d.trust_price_after, coalesce(d.bought_after, 0),"                                              \
  " (SELECT a.address FROM addresses a WHERE a.user_id = u.id AND a.kind = 'primary'), u.avatar_url, u.score, u.display_name,"  \
  " (SELECT t.username FROM attestations t WHERE t.user_id = u.id AND t.service || '' = 'x.com' AND NOT t.archived"                   \
  "  ORDER BY t.id + 0 DESC LIMIT 1)"                                                                                           \
  " FROM ids JOIN LATERAL (SELECT * FROM markets WHERE profile_id = ids.id LIMIT 1) m ON true"                                  \
  " JOIN LATERAL (SELECT * FROM profiles WHERE id = ids.id LIMIT 1) p ON true"                                                  \
  " JOIN LATERAL (SELECT * FROM users WHERE id = p.user_id LIMIT 1) u ON true"                                                  \
  " LEFT JOIN LATERAL (SELECT * FROM ("                                                                                         \
  "   (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades t WHERE t.market_id = ids.id"          \
  "    AND t.trusts AND t.at <= $1::timestamptz ORDER BY t.at DESC, t.number DESC LIMIT 1) UNION ALL"                            \
  "   (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades t WHERE t.market_id = ids.id"          \
  "    AND NOT t.trusts AND t.at <= $1::timestamptz ORDER BY t.at DESC, t.number DESC LIMIT 1)) sides"                           \
  "  ORDER BY at DESC, number DESC LIMIT 1) d ON true ORDER BY ids.place"

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

// Where a page of a list begins, worked out from how long the list is: at the mark before it (a row in 256
// has one). `$2` is what the list is called, `$3` the offset.
#define CREDENCE_PLACE(total)                                                                                                  \
  "SELECT k.total, m.ordinal FROM (SELECT " total " AS total) k LEFT JOIN LATERAL (SELECT ordinal FROM page_marks"              \
  " WHERE list = $2::text AND owner = $1::int4 AND ordinal >= k.total - $3::int8 ORDER BY ordinal LIMIT 1) m ON true"

// The rows of either side from the mark `$3` on (0: from the newest), as far as the page goes: `$4` rows
// of it are passed over, `$5` are wanted, `$6` and `$7` say of which sides. With a bound that the planner
// knows: it must not rather sort all there are.
static_assert(limits::market_list_max + page_marked_every == 1256 && limits::price_points_max + page_marked_every == 10256);
#define CREDENCE_MARKET_SIDE(side, wanted, bound)                                                                                           \
  "(SELECT * FROM market_trades WHERE market_id = $1::int4 AND " side " AND " wanted "::boolean AND (at, number) <= ("                      \
  " coalesce((SELECT at FROM page_marks WHERE list = $2::text AND owner = $1::int4 AND ordinal = $3::int8), 'infinity'),"                   \
  " coalesce((SELECT key FROM page_marks WHERE list = $2::text AND owner = $1::int4 AND ordinal = $3::int8), 9223372036854775807))"         \
  " ORDER BY at DESC, number DESC LIMIT " bound ")"
#define CREDENCE_MARKET_PAGE(bound)                                                                                                         \
  " FROM (SELECT * FROM (" CREDENCE_MARKET_SIDE("trusts", "$6", bound) " UNION ALL " CREDENCE_MARKET_SIDE("NOT trusts", "$7", bound)        \
  ") sides ORDER BY at DESC, number DESC OFFSET $4::int8 LIMIT $5::int4) t"
#define CREDENCE_TRADER_SIDE(side, wanted, bound)                                                                                           \
  "(SELECT * FROM market_trades WHERE trader_id = $1::int4 AND " side " AND " wanted "::boolean AND seq <= "                                \
  " coalesce((SELECT key FROM page_marks WHERE list = $2::text AND owner = $1::int4 AND ordinal = $3::int8), 9223372036854775807)"          \
  " ORDER BY seq DESC LIMIT " bound ")"
#define CREDENCE_TRADER_PAGE                                                                                                                \
  " FROM (SELECT * FROM (" CREDENCE_TRADER_SIDE("trusts", "$6", "1256") " UNION ALL " CREDENCE_TRADER_SIDE("NOT trusts", "$7", "1256")      \
  ") sides ORDER BY seq DESC OFFSET $4::int8 LIMIT $5::int4) t"

constexpr auto prices_sql = "SELECT at, trust_price_after, distrust_price_after" CREDENCE_MARKET_PAGE("10256") " ORDER BY at, number";
constexpr auto start_sql = "SELECT created_at, liquidity, base_price FROM markets WHERE profile_id = $1::int4";

#define CREDENCE_TRADE_RECORD                                                                                         \
  "SELECT t.seq, t.market_id, (SELECT a.address FROM addresses a JOIN profiles o ON o.user_id = a.user_id"           \
  "  WHERE o.id = t.trader_id AND a.kind = 'primary'), t.buys, t.trusts, t.votes,"                                    \
  " CASE WHEN t.buys THEN t.cost + t.protocol_fee + t.donation ELSE t.cost - t.protocol_fee END, t.at"

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
constexpr auto owner_sql =
  "SELECT p.id FROM addresses a JOIN profiles p ON p.user_id = a.user_id WHERE a.address = $1::bytea";
constexpr auto positions_sql =
  "SELECT p.market_id, p.trust * m.trust_price + p.distrust * m.distrust_price AS value"
  " FROM market_positions p JOIN markets m ON m.profile_id = p.market_id"
  " WHERE p.trader_id = $1::int4 AND (p.trust > 0 OR p.distrust > 0) ORDER BY value DESC, p.market_id LIMIT $2::int4 OFFSET $3::int4";
constexpr auto positions_value_sql =
  "SELECT coalesce(sum(p.trust * m.trust_price + p.distrust * m.distrust_price), 0)::numeric"
  " FROM market_positions p JOIN markets m ON m.profile_id = p.market_id WHERE p.trader_id = $1::int4";
constexpr auto volume_sql = "SELECT coalesce((SELECT bought + sold FROM wei_accounts WHERE profile_id = $1::int4), 0)";

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
constexpr auto board_points_sql =
  "SELECT * FROM (SELECT id, balance FROM xp_accounts WHERE id > greatest($1::int4, 0) ORDER BY id LIMIT 5000) next LIMIT $2::int4";
constexpr auto as_of_sql = "SELECT coalesce((SELECT last_seq FROM batches WHERE shard = 1 ORDER BY sequence DESC LIMIT 1), 0)";

constexpr auto accounts_sql =
  "SELECT (SELECT a.address FROM addresses a JOIN profiles o ON o.user_id = a.user_id WHERE o.id = k.id AND a.kind = 'primary')"
  " FROM unnest($1::int4[]) WITH ORDINALITY AS k (id, place) ORDER BY k.place";

market::market_view view_from(const rows& from, int row) {
  const market::curve how{from.int8(row, 2), from.numeric(row, 3)};
  const auto bought = from.numeric(row, 12);
  const auto sold = from.numeric(row, 13);
  const auto trust_price = from.numeric(row, 7);
  const wei bought_then = from.numeric(row, 16);
  const wei volume_then = from.numeric(row, 14);
  const wei_change cap = wei_change{bought} - wei_change{sold};
  const auto cap_then = market::cap_of(bought_then, volume_then);
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
          .market_cap = cap,
          .volume_total = bought + sold,
          .volume_24h = bought + sold - volume_then,
          .price_change_24h = market::percent_change(then, trust_price),
          .cap_change_24h = cap - cap_then,
          .cap_change_percent_24h = market::cap_percent_change(cap_then, cap),
          .whose = {maybe_address(from, row, 17), std::string{from.text(row, 18)}, from.int4(row, 19),
                    std::string{from.text(row, 20)}, from.maybe_text(row, 21)}};
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

page_place place_of(connection& on, const char* sql, profile_id of, std::string_view list, const page& slice, steady_time deadline) {
  return place_from(on.run(sql, parameters{}.int4(of.value).text(list).int8(slice.offset), deadline), slice);
}

rows rows_of(connection& on, const char* sql, profile_id of, std::string_view list, const page_place& where, std::int32_t most,
             const std::optional<vote_side>& side, steady_time deadline) {
  return on.run(sql,
                parameters{}.int4(of.value).text(list).int8(where.mark).int8(where.passed_over).int4(most)
                  .boolean(side != vote_side::distrust).boolean(side != vote_side::trust),
                deadline);
}

market::trade_list read_trades(connection& on, const trade_listing& list, profile_id of, const std::optional<vote_side>& side, page slice,
                               steady_time deadline) {
  const auto* name = list.names[side ? 1 + static_cast<std::size_t>(*side) : 0];
  const auto where = place_of(on, list.place, of, name, slice, deadline);
  market::trade_list out{{}, where.total, slice};
  if (where.empty)
    return out;
  const auto found = rows_of(on, list.rows, of, name, where, slice.limit, side, deadline);
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

market::price_list read_prices(connection& on, const market::get_prices& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::price_list out;
  if (const auto start = on.run(start_sql, parameters{}.int4(asked.market.value), deadline); !start.empty()) {
    const auto where = place_of(on, of_market.place, asked.market, of_market.names[0], asked.slice, deadline);
    out.total = where.total + 1; // the beginning is one, too
    const auto end = std::int64_t{asked.slice.offset} + asked.slice.limit;
    if (asked.slice.offset < out.total && end >= out.total) {
      const auto at = market::lmsr_point::at({start.int8(0, 1), start.numeric(0, 2)}, {}).value();
      out.values.push_back({start.time(0, 0), at.trust_price(), at.distrust_price()});
    }
    if (!where.empty) {
      const auto found = rows_of(on, prices_sql, asked.market, of_market.names[0], where, asked.slice.limit, std::nullopt, deadline);
      for (int i = 0; i < found.count(); ++i)
        out.values.push_back({found.time(i, 0), found.numeric(i, 1), found.numeric(i, 2)});
    }
  }
  snapshot.commit(deadline);
  return out;
}

market::trade_list read_market_trades(connection& on, const market::get_market_trades& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  auto out = read_trades(on, of_market, asked.market, asked.side, asked.slice, deadline);
  snapshot.commit(deadline);
  return out;
}

market::trade_list read_activity(connection& on, const market::get_activity& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::trade_list out{{}, 0, asked.slice};
  if (const auto who = owner_of(on, asked.who, deadline))
    out = read_trades(on, of_trader, *who, asked.side, asked.slice, deadline);
  snapshot.commit(deadline);
  return out;
}

std::vector<market::holding> read_holdings(connection& on, const market::get_holdings& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  std::vector<market::holding> out;
  if (const auto who = owner_of(on, asked.who, deadline)) {
    const auto found = on.run(positions_sql, parameters{}.int4(who->value).int4(asked.slice.limit).int4(asked.slice.offset), deadline);
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

market::holdings_value read_holdings_value(connection& on, const market::get_holdings_value& asked, steady_time deadline) {
  const auto who = owner_of(on, asked.who, deadline);
  return {who ? on.run(positions_value_sql, parameters{}.int4(who->value), deadline).numeric(0, 0) : wei{0}};
}

market::total_volume read_volume(connection& on, const market::get_volume& asked, steady_time deadline) {
  const auto who = owner_of(on, asked.who, deadline);
  return {who ? on.run(volume_sql, parameters{}.int4(who->value), deadline).numeric(0, 0) : wei{0}};
}

market::stored_boards read_boards(connection& on, const market::load_boards& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::stored_boards out;
  const auto after = [&] { return parameters{}.int4(asked.part == market::board_part::prices ? asked.after_market.value : asked.after_who.value).int4(asked.most); };
  switch (asked.part) {
    case market::board_part::prices: {
      const auto found = on.run(board_prices_sql, after(), deadline);
      for (int i = 0; i < found.count(); ++i)
        out.prices.push_back({profile_id{found.int4(i, 0)}, found.numeric(i, 1), found.numeric(i, 2)});
      break;
    }
    case market::board_part::shares: {
      const auto found = on.run(board_shares_sql, parameters{}.int4(asked.after_market.value).int4(asked.after_who.value).int4(asked.most), deadline);
      for (int i = 0; i < found.count(); ++i)
        out.shares.push_back({profile_id{found.int4(i, 0)}, profile_id{found.int4(i, 1)}, found.int8(i, 2), found.int8(i, 3)});
      break;
    }
    case market::board_part::traders: {
      const auto found = on.run(board_traders_sql, after(), deadline);
      for (int i = 0; i < found.count(); ++i)
        out.traders.push_back({profile_id{found.int4(i, 0)}, found.numeric(i, 1), found.numeric(i, 2)});
      break;
    }
    case market::board_part::points: {
      const auto found = on.run(board_points_sql, after(), deadline);
      for (int i = 0; i < found.count(); ++i)
        out.xp.push_back({profile_id{found.int4(i, 0)}, found.int8(i, 1)});
      break;
    }
  }
  out.as_of = on.run(as_of_sql, {}, deadline).int8(0, 0);
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
