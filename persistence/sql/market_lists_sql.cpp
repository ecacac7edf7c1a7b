#include "persistence/sql/market_lists_sql.hpp"

#include "actors/market/market_state.hpp"
#include "config/limits.hpp"
#include "persistence/sql/in_order.hpp"
#include "persistence/sql/market_words.hpp"
#include "persistence/sql/mirrored_markets_sql.hpp"

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
  "m.seq,"                                                                                                             \
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

struct view_columns {
  const rows& in;
  column<market_id> id{in, "profile_id"};
  column<market::tier> kind{in, "tier"};
  column<std::int64_t> liquidity{in, "liquidity"};
  column<wei> base_price{in, "base_price"};
  column<wei> creation_cost{in, "creation_cost"};
  column<std::int64_t> trust{in, "trust"};
  column<std::int64_t> distrust{in, "distrust"};
  column<wei> trust_price{in, "trust_price"};
  column<wei> distrust_price{in, "distrust_price"};
  column<timestamp> created_at{in, "created_at"};
  column<timestamp> updated_at{in, "updated_at"};
  column<std::int64_t> trades{in, "trades"};
  column<wei> bought{in, "bought"};
  column<wei> sold{in, "sold"};
  column<wei> volume_then{in, "volume_then"};
  column<std::optional<wei>> trust_price_then{in, "trust_price_then"}; // null: nothing was traded before the last day
  column<wei> bought_then{in, "bought_then"};
  column<std::optional<address>> owner_address{in, "address"};
  column<std::string> avatar_url{in, "avatar_url"};
  column<std::int32_t> score{in, "score"};
  column<std::string> name{in, "display_name"};
  column<std::optional<std::string>> x_username{in, "x_username"};
  column<bool> frozen{in, "frozen"};

  market::market_view view(int row) const {
    const market::curve how{liquidity[row], base_price[row]};
    const auto volume = bought[row] + sold[row];
    const auto price = trust_price[row];
    const wei_change cap = wei_change{bought[row]} - wei_change{sold[row]};
    const auto cap_then = market::cap_of(bought_then[row], volume_then[row]);
    const auto known_then = trust_price_then[row];
    const auto then =
      known_then ? *known_then : market::lmsr_point::at(how, {}).value().trust_price(); // it began there
    return {.id = id[row],
            .kind = kind[row],
            .how = how,
            .creation_cost = creation_cost[row],
            .votes = {trust[row], distrust[row]},
            .trust_price = price,
            .distrust_price = distrust_price[row],
            .created_at = created_at[row],
            .updated_at = updated_at[row],
            .sequence = trades[row],
            .market_cap = cap,
            .volume_total = volume,
            .volume_24h = volume - volume_then[row],
            .price_change_24h = market::percent_change(then, price),
            .cap_change_24h = cap - cap_then,
            .cap_change_percent_24h = market::cap_percent_change(cap_then, cap),
            .whose = {owner_address[row], avatar_url[row], score[row], name[row], x_username[row]},
            .frozen = frozen[row]};
  }
};

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

} // namespace

std::vector<market::market_view> views_from(const rows& from) {
  const view_columns views{from};
  std::vector<market::market_view> out;
  out.reserve(static_cast<std::size_t>(from.count()));
  for (int i = 0; i < from.count(); ++i)
    out.push_back(views.view(i));
  return out;
}

market::stored_names names_from(const rows& found) {
  const column<std::optional<market_id>> market{found,
                                                "profile_id"}; // null in the row that is there when nothing is found
  const column<global_seq> seq{found, "seq"};
  const column<wei> volume{found, "volume"};
  const column<std::optional<std::string_view>> username{found, "username"};
  const column<std::optional<std::string_view>> name{found, "display_name"};
  const column<std::optional<std::string_view>> x_usernames{found, "x_usernames"};
  const column<std::optional<std::string>> about{found, "about"};
  market::stored_names out;
  out.as_of = found.first<std::string>("as_of");
  for (int i = 0; i < found.count() && !market.null(i); ++i) {
    market::named_market each{*market[i], seq[i], volume[i], {}, {}};
    for (const auto* names : {&username, &name, &x_usernames})
      add_lines(each.names, (*names)[i].value_or(std::string_view{}));
    each.about = about[i].value_or(std::string{});
    out.markets.push_back(std::move(each));
  }
  return out;
}

std::optional<profile_id> owner_of(connection& on, const address& who, steady_time deadline) {
  const auto found = on.run(owner_sql, parameters{}.bytes(who.bytes), deadline);
  return found.empty() ? std::nullopt : std::optional{found.first<profile_id>("id")};
}

market::stored_names read(connection& on, const market::load_names& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  auto with = parameters{}.int4(query.after.value).int4(query.most).int4(limits::searched_text_max);
  return names_from(query.since.empty() ? on.run(all_names_sql, with, deadline)
                                        : on.run(new_names_sql, with.text(query.since), deadline));
}

std::vector<market::market_view> read(connection& on, const market::get_markets& query, steady_time deadline) {
  auto ids = ids_of(query.markets);
  return query.mirrored ? mirrored_views(on, ids, query.now, deadline) : views_of(on, ids, query.now, deadline);
}

std::vector<market::market_view> read(connection& on, const market::get_ranked_markets& query, steady_time deadline) {
  return read(on, market::get_markets{query.markets, query.now, query.mirrored}, deadline);
}

std::vector<std::optional<market::market_moment>> read(connection& on, const market::get_moments& query,
                                                       steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  binary_array when{sql_type::timestamptz};
  for (const auto each : query.when)
    when.time(each);
  const auto found = on.run(moments_sql, parameters{}.int4(query.market.value).array(when), deadline);
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

std::vector<market::holding> read(connection& on, const market::get_holdings& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  transaction snapshot{on, deadline, begin_snapshot};
  std::vector<market::holding> out;
  if (const auto who = owner_of(on, query.who, deadline)) {
    const auto found =
      on.run(positions_sql, parameters{}.int4(who->value).int4(query.slice.limit).int4(query.slice.offset), deadline);
    const column<std::int32_t> market{found, "market_id"};
    const column<wei> value{found, "value"};
    binary_array ids{sql_type::int4};
    for (int i = 0; i < found.count(); ++i)
      ids.int4(market[i]);
    auto views = views_of(on, ids, query.now, deadline);
    for (int i = 0; i < found.count(); ++i)
      out.push_back({std::move(views.at(static_cast<std::size_t>(i))), value[i]});
  }
  snapshot.commit(deadline);
  return out;
}

market::holdings_value read(connection& on, const market::get_holdings_value& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  const auto who = owner_of(on, query.who, deadline);
  return {who ? on.run(positions_value_sql, parameters{}.int4(who->value), deadline).value<wei>() : wei{0}};
}

market::total_volume read(connection& on, const market::get_volume& query, steady_time deadline) {
  if (query.mirrored)
    return read_mirrored(on, query, deadline);
  const auto who = owner_of(on, query.who, deadline);
  return {who ? on.run(volume_sql, parameters{}.int4(who->value), deadline).value<wei>() : wei{0}};
}

market::stored_accounts read(connection& on, const market::load_accounts& query, steady_time deadline) {
  auto ids = ids_of(query.whose);
  const auto found = on.run(accounts_sql, parameters{}.array(ids), deadline);
  const column<std::optional<address>> account{found, "address"};
  market::stored_accounts out;
  for (int i = 0; i < found.count(); ++i)
    out.accounts.push_back(account[i]);
  return out;
}

} // namespace credence::persistence
