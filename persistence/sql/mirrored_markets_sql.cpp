#include "actors/chain/chain_records.hpp"
#include "actors/market/market_state.hpp"
#include "config/limits.hpp"
#include "persistence/sql/market_lists_sql.hpp"

#include <algorithm>
#include <string>

namespace credence::persistence {

namespace {

// What a market is called by its liquidity; the configurations of the contract have no names.
#define CREDENCE_TIER(liquidity)                                                                                       \
  "CASE WHEN " liquidity " < 1000 THEN 'VOLATILE' WHEN " liquidity " < 5000 THEN 'NORMAL' ELSE 'INSULATED' END"

// A market of the rows `ids` (id, place). What was a day ago ($1) is the last trade, and the last prices, before that.
constexpr auto views_sql = "SELECT m.id AS profile_id, " CREDENCE_TIER(
  "m.liquidity") " AS tier, m.liquidity::int8 AS liquidity, m.base_price, m.creation_cost,"
                 " m.trust::int8 AS trust, m.distrust::int8 AS distrust, m.trust_price, m.distrust_price, "
                 "m.created_at, m.updated_at, m.trades, "
                 "m.bought,"
                 " m.sold, coalesce(d.volume_after, 0) AS volume_then, coalesce(p.trust_price, div(m.base_price, 2)) "
                 "AS trust_price_then,"
                 " coalesce(d.bought_after, 0) AS bought_then,"
                 " (SELECT a.address FROM addresses a WHERE a.user_id = u.id AND a.kind = 'primary') AS address, "
                 "coalesce(u.avatar_url, '') AS "
                 "avatar_url,"
                 " coalesce(u.score, 0) AS score, coalesce(u.display_name, '') AS display_name,"
                 " (SELECT t.username FROM attestations t WHERE t.user_id = u.id AND t.service || '' = 'x.com' AND NOT "
                 "t.archived"
                 "  ORDER BY t.id + 0 DESC LIMIT 1) AS x_username, m.creator, m.standing = 'GRADUATED' AS graduated, "
                 "false AS frozen"
                 " FROM unnest($2::int4[]) WITH ORDINALITY AS ids (id, place)"
                 " JOIN LATERAL (SELECT * FROM chain_markets WHERE contract = 'reputationMarket' AND id = ids.id LIMIT "
                 "1) m ON true"
                 " LEFT JOIN LATERAL (SELECT user_id FROM profiles WHERE id = ids.id AND NOT orphaned LIMIT 1) o ON "
                 "true"
                 " LEFT JOIN LATERAL (SELECT * FROM users WHERE id = o.user_id LIMIT 1) u ON true"
                 " LEFT JOIN LATERAL (SELECT volume_after, bought_after FROM chain_trades t WHERE t.contract = "
                 "'reputationMarket' AND t.market_id = "
                 "ids.id"
                 "  AND t.at <= $1::timestamptz ORDER BY t.at DESC, t.number DESC LIMIT 1) d ON true"
                 " LEFT JOIN LATERAL (SELECT trust_price FROM chain_prices t WHERE t.contract = 'reputationMarket' AND "
                 "t.market_id = ids.id"
                 "  AND t.at <= $1::timestamptz ORDER BY t.at DESC, t.number DESC LIMIT 1) p ON true ORDER BY "
                 "ids.place";

#define CREDENCE_MIRRORED_NAMES                                                                                        \
  " SELECT pg_current_snapshot()::text AS as_of, (SELECT coalesce(sum(taken_back), 0)::int8 FROM chain_follow) AS "    \
  "taken_back, n.*"                                                                                                    \
  " FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT m.id AS profile_id, m.created_at,"                                   \
  "  m.bought + m.sold AS volume, u.username, u.display_name, left(u.description, $3::int4) AS about,"                 \
  "  (SELECT string_agg(t.username, E'\n' ORDER BY t.id) FROM attestations t"                                          \
  "   WHERE t.user_id = u.id AND t.service || '' = 'x.com' AND NOT t.archived) AS x_usernames"                         \
  "  FROM ids JOIN LATERAL (SELECT * FROM chain_markets WHERE contract = 'reputationMarket' AND id = ids.id LIMIT 1) " \
  "m ON true"                                                                                                          \
  "  LEFT JOIN LATERAL (SELECT user_id FROM profiles WHERE id = ids.id AND NOT orphaned LIMIT 1) o ON true"            \
  "  LEFT JOIN LATERAL (SELECT * FROM users WHERE id = o.user_id LIMIT 1) u ON true) n ON true ORDER BY n.profile_id"
constexpr auto mirrored_markets_all_names_sql =
  "WITH ids AS MATERIALIZED (SELECT id FROM chain_markets WHERE contract = 'reputationMarket' AND id > $1::int4"
  " ORDER BY id LIMIT $2::int4)" CREDENCE_MIRRORED_NAMES;
// As of the names of other markets (market_lists_sql.cpp).
constexpr auto mirrored_markets_new_names_sql =
  "WITH ids AS MATERIALIZED (SELECT id FROM chain_markets WHERE contract = 'reputationMarket'"
  "  AND changed >= pg_snapshot_xmin($4::text::pg_snapshot) AND NOT pg_visible_in_snapshot(changed, "
  "$4::text::pg_snapshot)"
  "  AND changed < pg_snapshot_xmax(pg_current_snapshot()) AND id + 0 > $1::int4 ORDER BY id + 0 LIMIT "
  "$2::int4)" CREDENCE_MIRRORED_NAMES;

constexpr auto mirrored_markets_moments_sql =
  "SELECT m.created_at <= k.at AS there, coalesce(p.trust_price, div(m.base_price, 2)) AS trust_price,"
  " coalesce(p.distrust_price, m.base_price - div(m.base_price, 2)) AS distrust_price,"
  " coalesce(d.bought_after, 0) AS bought, coalesce(d.volume_after, 0) AS volume"
  " FROM (SELECT * FROM chain_markets WHERE contract = 'reputationMarket' AND id = $1::int4) m"
  " CROSS JOIN unnest($2::timestamptz[]) WITH ORDINALITY k(at, place)"
  " LEFT JOIN LATERAL (SELECT volume_after, bought_after FROM chain_trades t WHERE t.contract = 'reputationMarket' AND "
  "t.market_id = $1::int4"
  "  AND t.at <= k.at ORDER BY t.at DESC, t.number DESC LIMIT 1) d ON true"
  " LEFT JOIN LATERAL (SELECT trust_price, distrust_price FROM chain_prices t WHERE t.contract = 'reputationMarket' "
  "AND t.market_id = $1::int4"
  "  AND t.at <= k.at ORDER BY t.at DESC, t.number DESC LIMIT 1) p ON true ORDER BY k.place";

constexpr auto holdings_sql =
  "SELECT p.market_id, p.trust * m.trust_price + p.distrust * m.distrust_price AS value"
  " FROM chain_positions p JOIN chain_markets m ON m.contract = p.contract AND m.id = p.market_id"
  " WHERE p.contract = 'reputationMarket' AND p.account = $1::bytea AND (p.trust > 0 OR p.distrust > 0)"
  " ORDER BY value DESC, p.market_id LIMIT $2::int4 OFFSET $3::int4";
constexpr auto holdings_value_sql =
  "SELECT coalesce(sum(p.trust * m.trust_price + p.distrust * m.distrust_price), 0)::numeric"
  " FROM chain_positions p JOIN chain_markets m ON m.contract = p.contract AND m.id = p.market_id"
  " WHERE p.contract = 'reputationMarket' AND p.account = $1::bytea";
constexpr auto mirrored_markets_volume_sql = "SELECT coalesce((SELECT bought + sold FROM chain_market_accounts WHERE "
                                             "contract = 'reputationMarket' AND account = $1::bytea), 0)";

constexpr auto profits_sql =
  "SELECT a.account, a.sold + coalesce(w.worth, 0) AS gained, a.bought FROM chain_market_accounts a LEFT JOIN (SELECT "
  "p.account,"
  "  sum(p.trust * m.trust_price + p.distrust * m.distrust_price) AS worth FROM chain_positions p"
  "  JOIN chain_markets m ON m.contract = p.contract AND m.id = p.market_id WHERE p.contract = 'reputationMarket' "
  "GROUP BY 1) w USING (account)"
  " WHERE a.contract = 'reputationMarket' AND a.trades > 0 ORDER BY a.sold + coalesce(w.worth, 0) - a.bought DESC, "
  "a.account LIMIT $1::int4";

static_assert(limits::list_depth_max == 10'000, "the text below says so");
#define CREDENCE_HOLDERS(side, without)                                                                                \
  "(SELECT count(*) FROM (SELECT FROM chain_positions WHERE contract = 'reputationMarket' AND market_id = $1::int4"    \
  " AND " side " > 0 AND $2::boolean IS NOT " without " ORDER BY " side " DESC, account LIMIT 10000) few)"
constexpr auto holders_total_sql =
  "SELECT CASE WHEN EXISTS (SELECT FROM chain_markets WHERE contract = 'reputationMarket' AND id = $1::int4) THEN"
  " least(" CREDENCE_HOLDERS("trust", "false") " + " CREDENCE_HOLDERS("distrust",
                                                                      "true") ", 10000) ELSE -1 END AS total";
// The first ones of either side, as far as the page may reach.
#define CREDENCE_SIDE(side, trusts)                                                                                    \
  "(SELECT account, " trusts " AS trusts, " side                                                                       \
  " AS votes FROM chain_positions WHERE contract = 'reputationMarket' AND market_id = $1::int4"                        \
  " AND " side " > 0 AND coalesce($5::boolean, " trusts ") = " trusts " ORDER BY " side                                \
  " DESC, account LIMIT $2::int8)"
constexpr auto holders_sql =
  "SELECT s.account, s.trusts, s.votes::int8 AS votes, (SELECT p.id FROM addresses a JOIN profiles p ON p.user_id = "
  "a.user_id"
  "  WHERE a.address = s.account AND NOT p.orphaned) AS owner FROM (" CREDENCE_SIDE(
    "trust", "true") " UNION ALL " CREDENCE_SIDE("distrust", "false") ") s ORDER BY s.votes DESC, s.account, s.trusts "
                                                                      "DESC LIMIT $3::int4 OFFSET $4::int4";

constexpr auto configs_sql = "SELECT value FROM chain_params WHERE contract = 'reputationMarket' AND name = $1::text";

market::tier tier_of(const wei& liquidity) {
  return liquidity < 1000 ? market::tier::high_risk : liquidity < 5000 ? market::tier::normal : market::tier::low_risk;
}

} // namespace

std::vector<market::market_view> mirrored_views(connection& on, binary_array& ids, timestamp now,
                                                steady_time deadline) {
  const auto found = on.run(views_sql, with(now - market::day_window::length, ids), deadline);
  auto out = views_from(found);
  const column<address> creator{found, "creator"};
  const column<bool> graduated{found, "graduated"};
  for (int i = 0; i < found.count(); ++i) {
    out[static_cast<std::size_t>(i)].creator = creator[i];
    out[static_cast<std::size_t>(i)].graduated = graduated[i];
  }
  return out;
}

market::stored_names read_mirrored(connection& on, const market::load_names& query, steady_time deadline) {
  auto asked = with(query.after, query.most, limits::searched_text_max);
  const auto found = query.since.empty() ? on.run(mirrored_markets_all_names_sql, asked, deadline)
                                         : on.run(mirrored_markets_new_names_sql, asked.text(query.since), deadline);
  auto out = names_from(found);
  out.taken_back = found.first<std::int64_t>("taken_back");
  return out;
}

std::vector<std::optional<market::market_moment>> read_mirrored(connection& on, const market::get_moments& query,
                                                                steady_time deadline) {
  const auto found = on.run(mirrored_markets_moments_sql, with(query.market, array_of(query.when)), deadline);
  const column<bool> there{found, "there"};
  const column<wei> trust_price{found, "trust_price"}, distrust_price{found, "distrust_price"}, bought{found, "bought"},
    volume{found, "volume"};
  std::vector<std::optional<market::market_moment>> out(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    if (there[i])
      out[static_cast<std::size_t>(i)] = {trust_price[i], distrust_price[i], market::cap_of(bought[i], volume[i])};
  return out;
}

std::vector<market::holding> read_mirrored(connection& on, const market::get_holdings& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  const auto found = on.run(holdings_sql, with(query.who, query.slice.limit, query.slice.offset), deadline);
  const column<wei> value{found, "value"};
  auto ids = array_of(found.all<std::int32_t>("market_id"));
  auto views = mirrored_views(on, ids, query.now, deadline);
  std::vector<market::holding> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({std::move(views.at(static_cast<std::size_t>(i))), value[i]});
  return out;
}

market::holdings_value read_mirrored(connection& on, const market::get_holdings_value& query, steady_time deadline) {
  return {on.run(holdings_value_sql, with(query.who), deadline).value<wei>()};
}

market::total_volume read_mirrored(connection& on, const market::get_volume& query, steady_time deadline) {
  return {on.run(mirrored_markets_volume_sql, with(query.who), deadline).value<wei>()};
}

std::vector<market::profit_row> read(connection& on, const market::load_mirrored_profits& query, steady_time deadline) {
  const auto found = on.run(profits_sql, with(query.most), deadline);
  const column<address> account{found, "account"};
  const column<wei> gained{found, "gained"}, bought{found, "bought"};
  std::vector<market::profit_row> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({{}, account[i], wei_change{gained[i]} - wei_change{bought[i]}});
  return out;
}
load_handler handler(asked<market::load_mirrored_profits> it) { return reads<list_of_many, market::storage>(it); }

market::holder_page read(connection& on, const market::load_mirrored_holders& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  market::holder_page out;
  out.slice = query.slice;
  using of = market::holder;
  static constexpr field_list fields{
    field{"owner", or_null(&of::who)}, field{"account", &of::account},
    field{"trusts", flag(&of::side, market::vote_side::trust, market::vote_side::distrust)},
    field{"votes", &of::votes}};
  const auto side = query.side ? std::optional{*query.side == market::vote_side::trust} : std::nullopt;
  out.total = on.run(holders_total_sql, with(query.market, side), deadline).first<std::int64_t>("total");
  const auto reach = std::min(std::int64_t{query.slice.offset} + query.slice.limit, out.total);
  if (query.slice.offset < reach)
    out.values = all_of(
      on.run(holders_sql,
             with(query.market, reach, static_cast<std::int32_t>(reach - query.slice.offset), query.slice.offset, side),
             deadline),
      fields);
  return out;
}
load_handler handler(asked<market::load_mirrored_holders> it) { return reads<list_of_many, market::storage>(it); }

/// Of the markets of the chain only (mirrored_markets_sql.cpp).
market::get_configs::answer_type read(connection& on, const market::get_configs&, steady_time deadline) {
  const auto found = on.run(configs_sql, with(chain::market_configs_parameter), deadline);
  market::get_configs::answer_type out;
  if (found.empty())
    return out;
  const auto configs = chain::market_configs_in(found.first<std::string>("value"));
  for (std::size_t i = 0; i < configs.size(); ++i)
    if (const auto& each = configs[i])
      out.push_back({static_cast<std::int64_t>(i), tier_of(each->liquidity), each->liquidity, each->base_price,
                     each->creation_cost});
  return out;
}
load_handler handler(asked<market::get_configs> it) { return reads<list_a_page, market::storage>(it); }

// -- pages of trades and prices. Each row knows its place in the lists that it is in -------------

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
  out.values =
    all_of(on.run(sql, of.int8(where.after).int8(where.to), deadline),
           joined_lists(trade_fields, CREDENCE_FIELDS(market::trade_record, (event_id, id), account, (tx_hash, tx))));
  return out;
}

} // namespace

market::price_list read_mirrored(connection& on, const market::get_prices& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  market::price_list out;
  const auto market = on.run(market_sql, with(query.market), deadline);
  if (!market.empty()) {
    out.total = market.first<std::int64_t>("prices");
    if (out.total == 0) { // no event told of any
      out.total = 1;
      if (query.slice.offset == 0)
        out.values.push_back({market.first<timestamp>("created_at"), market.first<wei>("trust_price"),
                              market.first<wei>("distrust_price")});
    } else {
      const auto where = place_of(query.slice, out.total);
      static constexpr auto fields = CREDENCE_FIELDS(market::price_point, at, trust_price, distrust_price);
      out.values =
        all_of(on.run(mirrored_trades_prices_sql, with(query.market, where.after, where.to), deadline), fields);
    }
  }
  return out;
}

market::trade_list read_mirrored(connection& on, const market::get_market_trades& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  market::trade_list out{{}, -1, query.slice};
  const auto market = on.run(market_sql, with(query.market), deadline);
  if (!market.empty())
    out = read_trades(on, mirrored_trades_of_market, with(query.market), total_in(market, query.side), query.side,
                      query.slice, deadline);
  return out;
}

market::trade_list read_mirrored(connection& on, const market::get_activity& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  market::trade_list out{{}, 0, query.slice};
  const auto account = on.run(account_sql, with(query.who), deadline);
  if (!account.empty())
    out =
      read_trades(on, of_account, with(query.who), total_in(account, query.side), query.side, query.slice, deadline);
  return out;
}

} // namespace credence::persistence
