#include "config/limits.hpp"
#include "persistence/sql/lookup_sql.hpp"
#include "persistence/sql/people_sql.hpp"

#include <array>
#include <string_view>
#include <unordered_map>

namespace credence::persistence {

namespace {

// The trigram index finds who is alike, and everybody whose name begins with the text is
// (a beginning shares two thirds of its trigrams). Text without a letter or digit has no
// trigrams; the index would then yield all rows, so it is not asked. The very username
// comes by its own index, so that the bound on matches never loses it. What kind of key
// somebody has is a scalar subquery: never a scan of another table.
constexpr auto search_sql =
  "WITH alike AS MATERIALIZED ("
  " SELECT u.id, u.score, lower(u.username) AS username, lower(u.display_name) AS name FROM users u"
  "  WHERE cardinality(show_trgm(lower($1::text))) > 0"
  "  AND (lower($1::text) <% lower(u.username) OR lower($1::text) <% lower(u.display_name))"
  "  AND u.status <> 'MERGED'"
  "  AND CASE $2::text WHEN '' THEN true"
  "   WHEN 'address' THEN (SELECT true FROM addresses a WHERE a.user_id = u.id LIMIT 1)"
  "   WHEN 'profileId' THEN (SELECT true FROM profiles p WHERE p.user_id = u.id)"
  "   ELSE (SELECT true FROM attestations t WHERE t.user_id = u.id AND t.service = $2::text AND NOT t.archived"
  "    LIMIT 1) END"
  "  LIMIT $3::int4),"
  " matches AS MATERIALIZED (SELECT * FROM alike"
  "  UNION ALL SELECT u.id, u.score, lower(u.username), lower(u.display_name) FROM users u"
  "   WHERE $2::text = '' AND lower(u.username) = lower($1::text) AND u.status <> 'MERGED'"
  "   AND u.id NOT IN (SELECT id FROM alike)),"
  " ranked AS (SELECT *, CASE WHEN username = lower($1::text) THEN 0"
  "   WHEN starts_with(username, lower($1::text)) OR starts_with(name, lower($1::text)) THEN 1 ELSE 2 END AS tier"
  "  FROM matches),"
  " slice AS (SELECT id, row_number() OVER (ORDER BY tier, CASE WHEN tier = 2"
  "   THEN greatest(similarity(username, lower($1::text)), similarity(name, lower($1::text))) END DESC,"
  "   score DESC, id) AS place FROM ranked ORDER BY place LIMIT $4::int4 OFFSET $5::int4)"
  " SELECT (SELECT count(*) FROM matches) AS total, s.id FROM (SELECT 1) one LEFT JOIN slice s ON true ORDER BY "
  "s.place";

constexpr std::array<std::string_view, 7> key_types{"address", "profileId", "discord", "farcaster",
                                                    "github",  "telegram",  "x.com"};

rows matches(connection& on, const people::search_people& query, steady_time deadline) {
  parameters with;
  with.text(query.text)
    .text(query.having ? key_types[static_cast<std::size_t>(*query.having)] : std::string_view{})
    .int4(limits::search_matches_max)
    .int4(query.slice.limit)
    .int4(query.slice.offset);
  return on.run(search_sql, with, deadline);
}

} // namespace

people::people_page read(connection& on, const people::search_people& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  const auto found = matches(on, query, deadline);
  people::people_page out;
  out.total = found.first<std::int64_t>("total");
  const column<std::optional<user_id>> user{found, "id"};
  std::vector<user_id> ids;
  for (int i = 0; i < found.count(); ++i)
    if (const auto id = user[i])
      ids.push_back(*id);
  std::unordered_map<user_id, people::user_ptr> by_id;
  for (auto& each : read_users_here(on, ids, deadline))
    by_id.emplace(each->id, std::move(each));
  for (const auto id : ids)
    out.users.push_back(by_id.at(id));
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
