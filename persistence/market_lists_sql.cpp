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
  " (SELECT t.username FROM attestations t WHERE t.user_id = u.id AND t.service = 'x.com' AND NOT t.archived"                   \
  "  ORDER BY t.id + 0 DESC LIMIT 1)"                                                                                           \
  " FROM ids JOIN LATERAL (SELECT * FROM markets WHERE profile_id = ids.id LIMIT 1) m ON true"                                  \
  " JOIN LATERAL (SELECT * FROM profiles WHERE id = ids.id LIMIT 1) p ON true"                                                  \
  " JOIN LATERAL (SELECT * FROM users WHERE id = p.user_id LIMIT 1) u ON true"                                                  \
  " LEFT JOIN LATERAL (SELECT volume_after, trust_price_after FROM market_trades t WHERE t.market_id = ids.id"                  \
  "  AND t.at <= $1::timestamptz ORDER BY t.at DESC, t.number DESC LIMIT 1) d ON true ORDER BY ids.place"

constexpr auto all_sql =
  "WITH ids AS (SELECT profile_id AS id, row_number() OVER () AS place FROM"
  " (SELECT profile_id FROM markets ORDER BY seq DESC LIMIT $2::int4 OFFSET $3::int4) page)" CREDENCE_MARKET_VIEWS;
constexpr auto count_sql = "SELECT count(*) FROM markets";

#define CREDENCE_HAS_MARKET(user) \
  "EXISTS (SELECT FROM profiles o JOIN markets k ON k.profile_id = o.id WHERE o.user_id = " user ")"

// Each way to match is one index; the bound keeps a text that everybody has from ranking all.
constexpr auto matches_sql =
  "WITH alike AS MATERIALIZED ("
  " (SELECT u.id FROM users u WHERE (lower(u.username) LIKE lower($1::text) OR lower(u.display_name) LIKE lower($1::text))"
  "  AND " CREDENCE_HAS_MARKET("u.id") " LIMIT $3::int4)"
  " UNION (SELECT t.user_id FROM attestations t WHERE t.service = 'x.com' AND NOT t.archived"
  "  AND lower(t.username) LIKE lower($1::text) AND " CREDENCE_HAS_MARKET("t.user_id") " LIMIT $3::int4)"
  " UNION (SELECT u.id FROM users u WHERE lower(u.description) LIKE lower($1::text) AND " CREDENCE_HAS_MARKET("u.id") " LIMIT $3::int4)"
  " UNION (SELECT u.id FROM users u WHERE lower(u.username) = lower($2::text))),"
  " found AS MATERIALIZED (SELECT m.profile_id AS id, m.bought + m.sold AS volume,"
  "  CASE WHEN lower(u.username) = lower($2::text) OR lower(u.display_name) = lower($2::text) THEN 0"
  "   WHEN starts_with(lower(u.username), lower($2::text)) OR starts_with(lower(u.display_name), lower($2::text)) THEN 1 ELSE 2 END AS tier"
  "  FROM alike a JOIN LATERAL (SELECT id, username, display_name FROM users WHERE id = a.id LIMIT 1) u ON true"
  "  JOIN LATERAL (SELECT id FROM profiles WHERE user_id = u.id LIMIT 1) p ON true"
  "  JOIN LATERAL (SELECT profile_id, bought, sold FROM markets WHERE profile_id = p.id LIMIT 1) m ON true)"
  " SELECT (SELECT count(*) FROM found), f.id FROM (SELECT 1) one"
  " LEFT JOIN (SELECT id, tier, volume FROM found ORDER BY tier, volume DESC, id LIMIT $4::int4 OFFSET $5::int4) f ON true"
  " ORDER BY f.tier, f.volume DESC, f.id";
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

/// For LIKE: anywhere, or at the beginning where the text is too short for the index.
std::string pattern_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '%' || c == '_')
      out += '\\';
    out += c;
  }
  return (text.size() > 2 ? "%" : "") + out + "%";
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

market::market_page search_markets(connection& on, const market::search_markets& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  market::market_page out;
  out.slice = asked.slice;
  if (asked.text.empty()) {
    out.total = on.run(count_sql, {}, deadline).int8(0, 0);
    out.values = views_from(on.run(
      all_sql, parameters{}.time(asked.now - market::day_window::length).int4(asked.slice.limit).int4(asked.slice.offset), deadline));
  } else {
    const auto found = on.run(matches_sql,
                              parameters{}
                                .text(pattern_of(asked.text))
                                .text(asked.text)
                                .int4(limits::search_matches_max)
                                .int4(asked.slice.limit)
                                .int4(asked.slice.offset),
                              deadline);
    out.total = found.int8(0, 0);
    binary_array ids{sql_type::int4};
    for (int i = 0; i < found.count(); ++i)
      if (const auto id = found.maybe_int4(i, 1))
        ids.int4(*id);
    out.values = views_of(on, ids, asked.now, deadline);
  }
  snapshot.commit(deadline);
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
