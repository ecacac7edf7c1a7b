#include "persistence/sql/market_lists_sql.hpp"

#include "actors/market/market_state.hpp"
#include "config/limits.hpp"
#include "persistence/sql/keyset_position.hpp"

#include <array>
#include <string>

namespace credence::persistence {

namespace {

// A market as everybody sees it, of the rows `ids` (id, place). What was a day ago ($1) is
// the last trade before that, which is one descent of an index.
#define CREDENCE_MARKET_VIEWS                                                                                          \
  " SELECT m.profile_id, m.tier, m.liquidity, m.base_price, m.creation_cost, m.trust, m.distrust, m.trust_price, "     \
  "m.distrust_price,"                                                                                                  \
  " m.created_at, m.updated_at, m.trades, m.bought, m.sold, m.frozen,"                                                 \
  " coalesce(d.volume_after, 0) AS volume_then, d.trust_price_after AS trust_price_then, coalesce(d.bought_after, 0) " \
  "AS bought_then,"                                                                                                    \
  " (SELECT a.address FROM addresses a WHERE a.user_id = u.id AND a.kind = 'primary') AS address, u.avatar_url, "      \
  "u.score,"                                                                                                           \
  " u.display_name,"                                                                                                   \
  " (SELECT t.username FROM attestations t WHERE t.user_id = u.id AND t.service || '' = 'x.com' AND NOT t.archived"    \
  "  ORDER BY t.id + 0 DESC LIMIT 1) AS x_username"                                                                    \
  " FROM ids JOIN LATERAL (SELECT * FROM markets WHERE profile_id = ids.id LIMIT 1) m ON true"                         \
  " JOIN LATERAL (SELECT * FROM profiles WHERE id = ids.id LIMIT 1) p ON true"                                         \
  " JOIN LATERAL (SELECT * FROM users WHERE id = p.user_id LIMIT 1) u ON true"                                         \
  " LEFT JOIN LATERAL (SELECT * FROM ("                                                                                \
  "   (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades t WHERE t.market_id = "     \
  "ids.id"                                                                                                             \
  "    AND t.trusts AND t.at <= $1::timestamptz ORDER BY t.at DESC, t.number DESC LIMIT 1) UNION ALL"                  \
  "   (SELECT at, number, volume_after, trust_price_after, bought_after FROM market_trades t WHERE t.market_id = "     \
  "ids.id"                                                                                                             \
  "    AND NOT t.trusts AND t.at <= $1::timestamptz ORDER BY t.at DESC, t.number DESC LIMIT 1)) sides"                 \
  "  ORDER BY at DESC, number DESC LIMIT 1) d ON true ORDER BY ids.place"

// By the account's owner, never by the index on services, which a plan made on an empty table prefers.
#define CREDENCE_NAMES                                                                                                 \
  " SELECT pg_current_snapshot()::text AS as_of, n.* FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT m.profile_id, "     \
  "m.created_at,"                                                                                                      \
  "  m.bought + m.sold AS volume, u.username, u.display_name, left(u.description, $3::int4) AS about,"                 \
  "  (SELECT string_agg(t.username, E'\n' ORDER BY t.id) FROM attestations t"                                          \
  "   WHERE t.user_id = u.id AND t.service || '' = 'x.com' AND NOT t.archived) AS x_usernames"                         \
  "  FROM ids JOIN LATERAL (SELECT * FROM markets WHERE profile_id = ids.id LIMIT 1) m ON true"                        \
  "  JOIN LATERAL (SELECT * FROM profiles WHERE id = ids.id LIMIT 1) p ON true"                                        \
  "  JOIN LATERAL (SELECT * FROM users WHERE id = p.user_id LIMIT 1) u ON true) n ON true ORDER BY n.profile_id"
constexpr auto all_names_sql = "WITH ids AS MATERIALIZED (SELECT market_id AS id FROM market_names WHERE market_id > "
                               "$1::int4 ORDER BY market_id LIMIT $2::int4)" CREDENCE_NAMES;
// Exactly those that were committed since: what was under way then is above the oldest of it.
// What is above all that is under way now was restored from a server that counted further.
// By the index on what changed, never by that on markets, so the order is not its column's.
constexpr auto new_names_sql = "WITH ids AS MATERIALIZED (SELECT market_id AS id FROM market_names"
                               "  WHERE changed >= pg_snapshot_xmin($4::text::pg_snapshot) AND NOT "
                               "pg_visible_in_snapshot(changed, $4::text::pg_snapshot)"
                               "  AND changed < pg_snapshot_xmax(pg_current_snapshot())"
                               "  AND market_id + 0 > $1::int4 ORDER BY market_id + 0 LIMIT $2::int4)" CREDENCE_NAMES;
constexpr auto these_sql =
  "WITH ids AS (SELECT id, place FROM unnest($2::int4[]) WITH ORDINALITY AS k (id, place))" CREDENCE_MARKET_VIEWS;

// What the last trade before each moment left behind: one descent of an index for either side of it.
constexpr auto moments_sql =
  "SELECT m.created_at <= k.at AS there, m.liquidity, m.base_price, d.trust_price_after, d.distrust_price_after,"
  " coalesce(d.bought_after, 0) AS bought, coalesce(d.volume_after, 0) AS volume"
  " FROM (SELECT * FROM markets WHERE profile_id = $1::int4 LIMIT 1) m CROSS JOIN unnest($2::timestamptz[]) WITH "
  "ORDINALITY k(at, place)"
  " LEFT JOIN LATERAL (SELECT * FROM ("
  "  (SELECT at, number, volume_after, trust_price_after, distrust_price_after, bought_after FROM market_trades t"
  "   WHERE t.market_id = $1::int4 AND t.trusts AND t.at <= k.at ORDER BY t.at DESC, t.number DESC LIMIT 1) UNION ALL"
  "  (SELECT at, number, volume_after, trust_price_after, distrust_price_after, bought_after FROM market_trades t"
  "   WHERE t.market_id = $1::int4 AND NOT t.trusts AND t.at <= k.at ORDER BY t.at DESC, t.number DESC LIMIT 1)) sides"
  "  ORDER BY at DESC, number DESC LIMIT 1) d ON true ORDER BY k.place";

constexpr auto owner_sql =
  "SELECT p.id FROM addresses a JOIN profiles p ON p.user_id = a.user_id WHERE a.address = $1::bytea";
constexpr auto positions_sql = "SELECT p.market_id, p.trust * m.trust_price + p.distrust * m.distrust_price AS value"
                               " FROM market_positions p JOIN markets m ON m.profile_id = p.market_id"
                               " WHERE p.trader_id = $1::int4 AND (p.trust > 0 OR p.distrust > 0) ORDER BY value DESC, "
                               "p.market_id LIMIT $2::int4 OFFSET $3::int4";
constexpr auto positions_value_sql =
  "SELECT coalesce(sum(p.trust * m.trust_price + p.distrust * m.distrust_price), 0)::numeric"
  " FROM market_positions p JOIN markets m ON m.profile_id = p.market_id WHERE p.trader_id = $1::int4";
constexpr auto volume_sql = "SELECT coalesce((SELECT bought + sold FROM wei_accounts WHERE profile_id = $1::int4), 0)";

constexpr auto accounts_sql = "SELECT (SELECT a.address FROM addresses a JOIN profiles o ON o.user_id = a.user_id "
                              "WHERE o.id = k.id AND a.kind = 'primary') AS address"
                              " FROM unnest($1::int4[]) WITH ORDINALITY AS k (id, place) ORDER BY k.place";

using market::market_view;
// Without what is worked out from other columns.
constexpr auto view_fields = joined_lists(
  within(&market_view::whose, face_fields),
  CREDENCE_FIELDS(market_view, (profile_id, id), (tier, kind), (liquidity, how, &market::curve::liquidity),
                  (base_price, how, &market::curve::base_price), creation_cost,
                  (trust, votes, &market::vote_counts::trust), (distrust, votes, &market::vote_counts::distrust),
                  trust_price, distrust_price, created_at, updated_at, (trades, sequence), frozen));

std::vector<market_view> views_of(connection& on, const binary_array& ids, timestamp now, steady_time deadline) {
  return views_from(on.run(these_sql, with(now - market::day_window::length, ids), deadline));
}

void add_lines(std::vector<std::string>& to, std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    to.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

} // namespace

std::vector<market::market_view> views_from(const rows& from) {
  auto out = all_of(from, view_fields);
  const column<wei> bought{from, "bought"}, sold{from, "sold"}, volume_then{from, "volume_then"},
    bought_then{from, "bought_then"};
  const column<std::optional<wei>> price_then{from, "trust_price_then"}; // null: nothing was traded before the last day
  for (int i = 0; i < from.count(); ++i) {
    auto& view = out[static_cast<std::size_t>(i)];
    const auto cap_then = market::cap_of(bought_then[i], volume_then[i]);
    const auto known_then = price_then[i];
    const auto then =
      known_then ? *known_then : market::lmsr_point::at(view.how, {}).value().trust_price(); // it began there
    view.market_cap = wei_change{bought[i]} - wei_change{sold[i]};
    view.volume_total = bought[i] + sold[i];
    view.volume_24h = view.volume_total - volume_then[i];
    view.price_change_24h = market::percent_change(then, view.trust_price);
    view.cap_change_24h = view.market_cap - cap_then;
    view.cap_change_percent_24h = market::cap_percent_change(cap_then, view.market_cap);
  }
  return out;
}

market::stored_names names_from(const rows& found) {
  const column<std::optional<market_id>> market{found,
                                                "profile_id"}; // null in the row that is there when nothing is found
  const column<timestamp> created_at{found, "created_at"};
  const column<wei> volume{found, "volume"};
  const column<std::optional<std::string_view>> username{found, "username"};
  const column<std::optional<std::string_view>> name{found, "display_name"};
  const column<std::optional<std::string_view>> x_usernames{found, "x_usernames"};
  const column<std::optional<std::string>> about{found, "about"};
  market::stored_names out;
  out.as_of = found.first<std::string>("as_of");
  for (int i = 0; i < found.count() && !market.null(i); ++i) {
    market::named_market each{*market[i], created_at[i], volume[i], {}, {}};
    for (const auto* names : {&username, &name, &x_usernames})
      add_lines(each.names, (*names)[i].value_or(std::string_view{}));
    each.about = about[i].value_or(std::string{});
    out.markets.push_back(std::move(each));
  }
  return out;
}

std::optional<profile_id> owner_of(connection& on, const address& who, steady_time deadline) {
  const auto found = on.run(owner_sql, with(who), deadline);
  return found.empty() ? std::nullopt : std::optional{found.first<profile_id>("id")};
}

market::stored_names read(connection& on, const market::load_names& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  auto asked = with(query.after, query.most, limits::searched_text_max);
  return names_from(query.since.empty() ? on.run(all_names_sql, asked, deadline)
                                        : on.run(new_names_sql, asked.text(query.since), deadline));
}
load_handler handler(asked<market::load_names> it) { return reads<list_of_many, market::storage>(it); }

std::vector<market::market_view> read(connection& on, const market::get_markets& query, steady_time deadline) {
  auto ids = array_of(query.markets);
  return query.mirrored ? mirrored_views(on, ids, query.now, deadline) : views_of(on, ids, query.now, deadline);
}
load_handler handler(asked<market::get_markets> it) { return reads<list_a_page, market::storage>(it); }

std::vector<market::market_view> read(connection& on, const market::get_ranked_markets& query, steady_time deadline) {
  return read(on, market::get_markets{query.markets, query.now, query.mirrored}, deadline);
}
load_handler handler(asked<market::get_ranked_markets> it) { return reads<list_of_many, market::storage>(it); }

/// Empty when there is no such market.
std::vector<std::optional<market::market_moment>> read(connection& on, const market::get_moments& query,
                                                       steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  const auto found = on.run(moments_sql, with(query.market, array_of(query.when)), deadline);
  const column<bool> there{found, "there"};
  const column<std::int64_t> liquidity{found, "liquidity"};
  const column<wei> base_price{found, "base_price"};
  const column<std::optional<wei>> trust_price{found, "trust_price_after"};
  const column<std::optional<wei>> distrust_price{found, "distrust_price_after"};
  const column<wei> bought{found, "bought"};
  const column<wei> volume{found, "volume"};
  std::vector<std::optional<market::market_moment>> out(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i) {
    if (!there[i])
      continue;
    const auto start = market::lmsr_point::at({liquidity[i], base_price[i]}, {}).value(); // until something was traded
    out[static_cast<std::size_t>(i)] = {trust_price[i].value_or(start.trust_price()),
                                        distrust_price[i].value_or(start.distrust_price()),
                                        market::cap_of(bought[i], volume[i])};
  }
  return out;
}
load_handler handler(asked<market::get_moments> it) { return reads<list_of_many, market::storage>(it); }

std::vector<market::holding> read(connection& on, const market::get_holdings& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  const read_snapshot snapshot{on, deadline};
  std::vector<market::holding> out;
  if (const auto who = owner_of(on, query.who, deadline)) {
    const auto found = on.run(positions_sql, with(*who, query.slice.limit, query.slice.offset), deadline);
    const column<wei> value{found, "value"};
    const auto ids = array_of(found.all<std::int32_t>("market_id"));
    auto views = views_of(on, ids, query.now, deadline);
    for (int i = 0; i < found.count(); ++i)
      out.push_back({std::move(views.at(static_cast<std::size_t>(i))), value[i]});
  }
  return out;
}
load_handler handler(asked<market::get_holdings> it) { return reads<list_of_many, market::storage>(it); }

market::holdings_value read(connection& on, const market::get_holdings_value& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  const auto who = owner_of(on, query.who, deadline);
  return {who ? on.run(positions_value_sql, with(*who), deadline).value<wei>() : wei{0}};
}
load_handler handler(asked<market::get_holdings_value> it) { return reads<list_of_many, market::storage>(it); }

market::total_volume read(connection& on, const market::get_volume& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  const auto who = owner_of(on, query.who, deadline);
  return {who ? on.run(volume_sql, with(*who), deadline).value<wei>() : wei{0}};
}
load_handler handler(asked<market::get_volume> it) { return reads<list_a_page, market::storage>(it); }

market::stored_accounts read(connection& on, const market::load_accounts& query, steady_time deadline) {
  const auto found = on.run(accounts_sql, with(array_of(query.whose)), deadline);
  const column<std::optional<address>> account{found, "address"};
  market::stored_accounts out;
  for (int i = 0; i < found.count(); ++i)
    out.accounts.push_back(account[i]);
  return out;
}
load_handler handler(asked<market::load_accounts> it) { return reads<list_a_page, market::storage>(it); }

// -- boards: what they count, piece by piece ----------------------------------------------------

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

using boards = market::stored_boards;
constexpr auto price_fields = CREDENCE_FIELDS(boards::price, (profile_id, market), trust_price, distrust_price);
constexpr auto share_fields = CREDENCE_FIELDS(boards::share, (market_id, market), (trader_id, who), trust, distrust);
constexpr auto trader_fields = CREDENCE_FIELDS(boards::trader, (profile_id, who), bought, sold);
constexpr auto points_fields = CREDENCE_FIELDS(boards::points, (id, who), (balance, xp));

} // namespace

/// The next part of what the boards count, of one snapshot.
market::stored_boards read(connection& on, const market::load_boards& query, steady_time deadline) {
  using enum market::board_part;
  const read_snapshot snapshot{on, deadline};
  market::stored_boards out;
  const auto who = query.after_who;
  const auto find = [&](const char* sql, const parameters& asked) { return on.run(sql, asked, deadline); };
  switch (query.part) {
    case prices: out.prices = all_of(find(board_prices_sql, with(query.after_market, query.most)), price_fields); break;
    case shares:
      out.shares = all_of(find(board_shares_sql, with(query.after_market, who, query.most)), share_fields);
      break;
    case traders: out.traders = all_of(find(board_traders_sql, with(who, query.most)), trader_fields); break;
    case points: out.xp = all_of(find(board_points_sql, with(who, query.most)), points_fields); break;
  }
  out.as_of = on.run(as_of_sql, deadline).value<global_seq>();
  return out;
}
load_handler handler(asked<market::load_boards> it) { return reads<list_of_many, market::storage>(it); }

// -- pages of trades and prices: lists that only grow, read from the mark before the page on -----

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

keyset_position place_of(connection& on, const char* sql, std::int32_t of, std::string_view list, const page& slice,
                         steady_time deadline) {
  return place_from(on.run(sql, with(of, list, std::int64_t{slice.offset}), deadline), slice);
}

rows rows_of(connection& on, const char* sql, std::int32_t of, std::string_view list, const keyset_position& where,
             std::int32_t most, const std::optional<vote_side>& side, steady_time deadline) {
  return on.run(
    sql, with(of, list, where.mark, where.skipped_rows, most, side != vote_side::distrust, side != vote_side::trust),
    deadline);
}

market::trade_list read_trades(connection& on, const trade_listing& list, std::int32_t of,
                               const std::optional<vote_side>& side, page slice, steady_time deadline) {
  const auto* name = list.names[side ? 1 + static_cast<std::size_t>(*side) : 0];
  const auto where = place_of(on, list.place, of, name, slice, deadline);
  market::trade_list out{{}, where.total, slice};
  if (where.empty)
    return out;
  out.values =
    all_of(rows_of(on, list.rows, of, name, where, slice.limit, side, deadline),
           joined_lists(trade_fields, CREDENCE_FIELDS(market::trade_record, (seq, id), (trader_address, account))));
  return out;
}

/// The points of a page that trades left; `where` is not empty.
void add_prices(connection& on, market::price_list& to, const market::get_prices& query, const keyset_position& where,
                steady_time deadline) {
  const auto found = rows_of(on, market_trades_prices_sql, query.market.value, of_market.names[0], where,
                             query.slice.limit, std::nullopt, deadline);
  static constexpr auto fields =
    CREDENCE_FIELDS(market::price_point, at, (trust_price_after, trust_price), (distrust_price_after, distrust_price));
  for (const auto& each : all_of(found, fields))
    to.values.push_back(each);
}

} // namespace

/// `total` is 0 when there is no such market.
market::price_list read(connection& on, const market::get_prices& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  const read_snapshot snapshot{on, deadline};
  market::price_list out;
  if (const auto start = on.run(start_sql, with(query.market), deadline); !start.empty()) {
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
  return out;
}
load_handler handler(asked<market::get_prices> it) { return reads<list_a_page, market::storage>(it); }

/// `total` is -1 when there is no such market.
market::trade_list read(connection& on, const market::get_market_trades& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  const read_snapshot snapshot{on, deadline};
  return read_trades(on, of_market, query.market.value, query.side, query.slice, deadline);
}
load_handler handler(asked<market::get_market_trades> it) { return reads<list_a_page, market::storage>(it); }

market::trade_list read(connection& on, const market::get_activity& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  const read_snapshot snapshot{on, deadline};
  market::trade_list out{{}, 0, query.slice};
  if (const auto who = owner_of(on, query.who, deadline))
    out = read_trades(on, of_trader, who->value, query.side, query.slice, deadline);
  return out;
}
load_handler handler(asked<market::get_activity> it) { return reads<list_a_page, market::storage>(it); }

} // namespace credence::persistence
