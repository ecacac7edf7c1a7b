#include "persistence/sql/oversight_sql.hpp"

#include "persistence/postgres/column.hpp"
#include "persistence/sql/credential_sql.hpp"

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
  parameters with;
  with.time(query.now);
  query.profile ? with.int4(query.profile->value) : with.null();
  if (query.after)
    with.time(query.after->created_at).text(query.after->id);
  else
    with.null().null();
  with.int4(query.limit + 1); // one more tells whether there are more
  const auto found = on.run(oversight_keys_sql, with, deadline);
  const column<std::string> id{found, "key_id"};
  const column<profile_id> profile{found, "profile_id"};
  const column<address> signer{found, "address"};
  const column<std::string> name{found, "name"};
  const column<timestamp> created_at{found, "created_at"};
  const column<timestamp> expires_at{found, "expires_at"};
  const column<std::optional<timestamp>> last_used_at{found, "last_used_at"};
  const column<std::optional<std::string_view>> scopes{found, "scopes"};
  const column<std::optional<std::string_view>> networks{found, "networks"};
  oversight::key_page out;
  for (int i = 0; i < found.count() && i < query.limit; ++i)
    out.keys.push_back({id[i], profile[i], signer[i], name[i], created_at[i], expires_at[i], last_used_at[i],
                        key_bounds_of(scopes[i], networks[i])});
  if (found.count() > query.limit && !out.keys.empty())
    out.next = oversight::key_place{out.keys.back().created_at, out.keys.back().id};
  return out;
}

std::vector<oversight::event_count> read(connection& on, const oversight::count_events& query, steady_time deadline) {
  const auto found = on.run(event_counts_sql, parameters{}.int8(query.chain), deadline);
  const column<std::string> contract{found, "contract"};
  const column<std::string> event{found, "event"};
  const column<std::int64_t> applied{found, "applied"};
  const column<std::int64_t> ignored{found, "ignored"};
  const column<std::int64_t> failed{found, "failed"};
  std::vector<oversight::event_count> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({contract[i], event[i], applied[i], ignored[i], failed[i]});
  return out;
}

std::vector<oversight::failed_events> read(connection& on, const oversight::list_failed_events& query,
                                           steady_time deadline) {
  const auto found = on.run(oversight_failed_sql, parameters{}.int8(query.chain), deadline);
  const column<std::string> contract{found, "contract"};
  const column<std::string> event{found, "event"};
  const column<std::string> reason{found, "reason"};
  const column<std::int64_t> events{found, "events"};
  const column<std::int64_t> last_id{found, "last_id"};
  std::vector<oversight::failed_events> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({contract[i], event[i], reason[i], events[i], last_id[i]});
  return out;
}

oversight::profile_standing read(connection& on, const oversight::get_standing& query, steady_time deadline) {
  const auto found = on.run(oversight_standing_sql, parameters{}.int4(query.profile.value), deadline);
  if (found.empty())
    return {};
  return {true, found.first<bool>("api_access")};
}

oversight::project_rows read(connection& on, const oversight::find_projects& query, steady_time deadline) {
  const auto found = on.run(oversight_projects_sql, parameters{}.text(query.text).int4(query.limit), deadline);
  const column<project_id> id{found, "id"};
  const column<std::string> name{found, "display_name"};
  const column<std::string> username{found, "username"};
  const column<bool> archived{found, "archived"};
  const column<std::int64_t> bullish{found, "bullish"};
  const column<std::int64_t> bearish{found, "bearish"};
  oversight::project_rows out;
  for (int i = 0; i < found.count(); ++i)
    out.rows.push_back({id[i], name[i], username[i], archived[i], bullish[i], bearish[i]});
  if (!found.empty())
    out.total = found.first<std::int64_t>("total");
  return out;
}

} // namespace credence::persistence
