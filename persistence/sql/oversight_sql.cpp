#include "actors/oversight/oversight_storage.hpp"
#include "persistence/sql/profile_sql.hpp"

/// What operators look at across all owners: statements and row mapping.
namespace credence::persistence {

namespace {

constexpr auto oversight_keys_sql =
  "SELECT id::text AS key_id, profile_id, address, name, created_at, expires_at, last_used_at,"
  " array_to_string(scopes, ',') AS scopes, array_to_string(allowed_networks, ',') AS networks FROM api_keys"
  " WHERE revoked_at IS NULL AND expires_at > $1::timestamptz AND ($2::int4 IS NULL OR profile_id = $2::int4)"
  " AND ($3::timestamptz IS NULL OR (created_at, id) < ($3::timestamptz, $4::text::uuid))"
  " ORDER BY created_at DESC, id DESC LIMIT $5::int4";

constexpr auto event_counts_sql =
  "SELECT contract, coalesce(event_name, '') AS event, count(*) FILTER (WHERE status = 'applied') AS applied,"
  " count(*) FILTER (WHERE status = 'ignored') AS ignored, count(*) FILTER (WHERE status = 'failed') AS failed"
  " FROM chain_events WHERE chain_id = $1::int8 GROUP BY 1, 2 ORDER BY failed DESC, contract, event";

// By the index of failed events, so that a long history costs nothing.
constexpr auto oversight_failed_sql =
  "SELECT contract, event, reason, count(*) AS events, max(id) AS last_id FROM"
  " (SELECT id, contract, coalesce(event_name, '') AS event, coalesce(reason, '') AS reason FROM chain_events"
  "  WHERE status = 'failed' AND chain_id = $1::int8 ORDER BY id DESC LIMIT 10000) newest"
  " GROUP BY 1, 2, 3 ORDER BY events DESC, last_id DESC LIMIT 200";

constexpr auto oversight_standing_sql = "SELECT api_access FROM profiles WHERE id = $1::int4";

// Projects are few beside votes, so all are looked at; what they got is in their tallies.
constexpr auto oversight_projects_sql =
  "WITH found AS MATERIALIZED (SELECT p.id, u.display_name, coalesce(u.username, '') AS username, p.status = "
  "'ARCHIVED' AS archived"
  "  FROM projects p JOIN users u ON u.id = p.user_id WHERE $1::text = '' OR p.id::text = $1::text"
  "  OR position(lower($1::text) IN lower(u.display_name)) > 0 OR position(lower($1::text) IN "
  "lower(coalesce(u.username, ''))) > 0"
  "  OR position(lower($1::text) IN lower(p.userkey)) > 0),"
  " counted AS (SELECT f.*, coalesce(t.bullish, 0)::int8 AS bullish, coalesce(t.bearish, 0)::int8 AS bearish FROM "
  "found f"
  "  LEFT JOIN LATERAL (SELECT sum(bullish) AS bullish, sum(bearish) AS bearish FROM project_tallies WHERE project_id "
  "= f.id) t ON true)"
  " SELECT id, display_name, username, archived, bullish, bearish, count(*) OVER () AS total FROM counted"
  " ORDER BY id::text = $1::text DESC, bullish + bearish DESC, id LIMIT $2::int4";

} // namespace

oversight::key_page read(connection& on, const oversight::list_all_keys& query, steady_time deadline) {
  const auto& after = query.after;
  const auto found = on.run(oversight_keys_sql,
                            with(query.now, query.profile, after ? std::optional{after->created_at} : std::nullopt,
                                 after ? std::optional{after->id} : std::nullopt,
                                 query.limit + 1), // one more tells whether there are more
                            deadline);
  auto keys = keys_in(found);
  const column<profile_id> profile{found, "profile_id"};
  for (int i = 0; i < found.count(); ++i)
    keys[static_cast<std::size_t>(i)].profile = profile[i];
  oversight::key_page out;
  if (found.count() > query.limit)
    keys.pop_back();
  out.keys = std::move(keys);
  if (found.count() > query.limit && !out.keys.empty())
    out.next = oversight::key_place{out.keys.back().created_at, out.keys.back().id};
  return out;
}
load_handler handler(asked<oversight::list_all_keys> it) { return reads<list_of_many, oversight::storage>(it); }

std::vector<oversight::event_count> read(connection& on, const oversight::count_events& query, steady_time deadline) {
  static constexpr auto fields = CREDENCE_FIELDS(oversight::event_count, contract, event, applied, ignored, failed);
  return all_of(on.run(event_counts_sql, with(query.chain), deadline), fields);
}
load_handler handler(asked<oversight::count_events> it) { return reads<list_of_many, oversight::storage>(it); }

std::vector<oversight::failed_events> read(connection& on, const oversight::list_failed_events& query,
                                           steady_time deadline) {
  static constexpr auto fields = CREDENCE_FIELDS(oversight::failed_events, contract, event, reason, events, last_id);
  return all_of(on.run(oversight_failed_sql, with(query.chain), deadline), fields);
}
load_handler handler(asked<oversight::list_failed_events> it) { return reads<list_of_many, oversight::storage>(it); }

oversight::profile_totals read(connection& on, const oversight::get_profile_totals& query, steady_time deadline) {
  const auto found = on.run(oversight_standing_sql, with(query.profile), deadline);
  if (found.empty())
    return {};
  return {true, found.first<bool>("api_access")};
}
load_handler handler(asked<oversight::get_profile_totals> it) { return reads<list_a_page, oversight::storage>(it); }

oversight::project_rows read(connection& on, const oversight::find_projects& query, steady_time deadline) {
  static constexpr auto fields =
    CREDENCE_FIELDS(oversight::project_row, id, (display_name, name), username, archived, bullish, bearish);
  const auto found = on.run(oversight_projects_sql, with(query.text, query.limit), deadline);
  oversight::project_rows out;
  out.rows = all_of(found, fields);
  if (!found.empty())
    out.total = found.first<std::int64_t>("total");
  return out;
}
load_handler handler(asked<oversight::find_projects> it) { return reads<list_of_many, oversight::storage>(it); }

} // namespace credence::persistence
