#include "config/limits.hpp"
#include "persistence/sql/record_lists_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"

namespace credence::persistence {

namespace {

static_assert(limits::notified_records_max == 100 && limits::notifications_max == 1000
                && limits::notified_late_days_max == 7,
              "the text below says so");

const statement mark_notices_read{
  "mark_notices_read", "INSERT INTO notification_marks AS m (profile_id, read_to) VALUES ($1::int4, $2::timestamptz)"
                       " ON CONFLICT (profile_id) DO UPDATE SET read_to = greatest(m.read_to, excluded.read_to)"};

constexpr auto mark_sql = "SELECT (SELECT read_to FROM notification_marks WHERE profile_id = $1::int4) AS read_to,"
                          " (SELECT user_id FROM profiles WHERE id = $1::int4) AS user_id";

// What events brought is unread by the time at which it came in; what was old by then was never unread.
// Runs of what was received, of replies and of votes: each from an index in its order, none longer than all that is
// shown.
constexpr auto notices_sql =
  "WITH received AS (SELECT a.kind, a.at, a.author_user AS by_user, NULL::int4 AS by_profile, a.kind AS record_kind, "
  "a.id AS record, NULL::text AS "
  "about_kind,"
  "  NULL::int4 AS about, NULL::boolean AS upvote FROM subjects s CROSS JOIN (VALUES ('review'), ('vouch')) k(kind)"
  "  CROSS JOIN LATERAL (SELECT * FROM activities a WHERE a.subject_key = s.key AND a.subject_generation = "
  "s.generation AND a.kind = k.kind"
  "   AND NOT a.archived ORDER BY a.at DESC, a.id DESC LIMIT 1000) a WHERE s.user_id = $1::int4),"
  " own AS MATERIALIZED (SELECT CASE a.kind WHEN 'reply' THEN 'discussion' ELSE a.kind END AS kind, a.id"
  "  FROM (VALUES ('reply'), ('review'), ('vouch')) k(kind) CROSS JOIN LATERAL (SELECT * FROM activities a WHERE "
  "a.author_user = $1::int4"
  "   AND a.kind = k.kind AND NOT a.archived ORDER BY a.at DESC, a.id DESC LIMIT 100) a ORDER BY a.at DESC LIMIT 100),"
  " replied AS (SELECT 'reply' AS kind, r.created_at AS at, NULL::int4 AS by_user, r.author_profile AS by_profile,"
  "  'discussion' AS record_kind, r.id AS record, o.kind AS about_kind, o.id AS about, NULL::boolean AS upvote FROM "
  "own o"
  "  CROSS JOIN LATERAL (SELECT * FROM replies r WHERE r.target_kind = o.kind AND r.target_id = o.id"
  "   AND r.author_profile IS DISTINCT FROM $2::int4 ORDER BY r.created_at DESC, r.id DESC"
  "   LIMIT 100) r),"
  " voted AS (SELECT 'vote' AS kind, v.updated_at AS at, NULL::int4 AS by_user, v.voter AS by_profile,"
  "  o.kind AS record_kind, o.id AS record, NULL::text AS about_kind, NULL::int4 AS about, v.upvote FROM own o"
  "  CROSS JOIN (VALUES (true), (false)) d(upvote) CROSS JOIN LATERAL (SELECT * FROM activity_votes v WHERE v.kind = "
  "o.kind"
  "   AND v.target_id = o.id AND v.upvote = d.upvote AND NOT v.archived AND v.voter <> $2::int4 ORDER BY v.updated_at "
  "DESC, v.number DESC LIMIT 100) "
  "v)"
  " SELECT e.kind, e.at, coalesce(e.by_user, (SELECT p.user_id FROM profiles p WHERE p.id = e.by_profile)) AS by_user, "
  "e.record_kind, e.record,"
  "  e.about_kind, e.about, e.upvote, CASE WHEN e.at <= $3::timestamptz - interval '7 days' THEN false ELSE"
  "   (SELECT coalesce(c.came_in_at, e.at) > $3::timestamptz AND coalesce(c.came_in_at, e.at) < e.at + interval '7 "
  "days' FROM (SELECT CASE e.kind"
  "    WHEN 'review' THEN (SELECT r.came_in_at FROM reviews r WHERE r.id = e.record)"
  "    WHEN 'vouch' THEN (SELECT max(v.came_in_at) FROM vouches v WHERE v.contract IN ('api', 'vouch') AND v.number = "
  "e.record)"
  "    WHEN 'reply' THEN (SELECT r.came_in_at FROM replies r WHERE r.id = e.record)"
  "    ELSE (SELECT v.came_in_at FROM activity_votes v WHERE v.kind = e.record_kind AND v.target_id = e.record AND "
  "v.voter = e.by_profile)"
  "    END AS came_in_at) c) END AS unread FROM (SELECT * FROM received UNION ALL SELECT * FROM replied UNION ALL "
  "SELECT * FROM voted"
  "   ORDER BY at DESC, kind, record DESC, by_user, by_profile LIMIT 1000) e"
  " ORDER BY e.at DESC, e.kind, e.record DESC, e.by_user, e.by_profile";

using reputation::notice;

// The parts of a notice that its row says as it is; what it is about, if anything, is in two columns.
constexpr auto notice_fields =
  CREDENCE_FIELDS(notice, kind, at, (by_user, by), (record_kind, record, &reputation::activity::kind),
                  (record, record, &reputation::activity::id), upvote, unread);

} // namespace

fact_sql_ptr sql_of(kind<reputation::notices_read> it) { return written_in_turn(it, mark_notices_read); }

/// What a profile is notified of, the newest first.
reputation::notice_list read(connection& on, const reputation::list_notices& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  reputation::notice_list out;
  out.slice = query.slice;
  const auto mark = on.run(mark_sql, with(query.whose), deadline);
  out.read_to = mark.first<std::optional<timestamp>>("read_to");
  const auto user = mark.first<std::optional<user_id>>("user_id").value_or(user_id{});
  const auto found = on.run(notices_sql, with(user, query.whose, out.read_to.value_or(timestamp{})), deadline);
  const auto notices = records_in(found, notice_fields);
  const column<bool> unread{found, "unread"};
  const column<std::optional<reputation::activity_kind>> about_kind{found, "about_kind"};
  const column<std::optional<std::int32_t>> about{found, "about"};
  out.total = found.count();
  for (int i = 0; i < found.count(); ++i) {
    out.unread += unread[i];
    if (i < query.slice.offset || i - query.slice.offset >= query.slice.limit)
      continue;
    auto& row = out.rows.emplace_back(notices[i]);
    if (const auto target = about_kind[i])
      row.about = reputation::activity{*target, about[i].value()};
  }
  out.users = users_of(on, out.rows, deadline, &notice::by);
  return out;
}
load_handler handler(asked<reputation::list_notices> it) { return reads<list_of_many, reputation::storage>(it); }

} // namespace credence::persistence
