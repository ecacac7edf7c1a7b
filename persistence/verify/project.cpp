#include "persistence/verify/promises.hpp"

#include "persistence/sql/project_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise promised_of_project[] = {
  {"vote_numbers", "the votes of a project are numbered 1, 2, 3 and so on",
   "SELECT format('project %s has %s votes numbered from %s to %s', project_id, count(*), min(number), max(number))"
   " FROM votes GROUP BY project_id HAVING min(number) <> 1 OR max(number) <> count(*)"},
  {"vote_order", "the votes of a project are in the order of their global numbers and of time",
   "SELECT format('vote %s of project %s comes before the one it follows', number, project_id)"
   " FROM (SELECT project_id, number, seq, cast_at, lag(seq) OVER w AS seq_before, lag(cast_at) OVER w AS at_before"
   "  FROM votes WINDOW w AS (PARTITION BY project_id ORDER BY number)) each"
   " WHERE seq <= seq_before OR cast_at < at_before"},
  {"votes_once", "a profile has voted at most once on a project in a period",
   "SELECT format('profile %s voted %s times on project %s in period %s', voter_id, count(*), project_id, period_id)"
   " FROM votes GROUP BY voter_id, project_id, period_id HAVING count(*) > 1"},
  {"votes_belong",
   "every vote has its project, its profile and its period, and lies between that period's opening and the next",
   "SELECT format('vote %s of project %s, by profile %s in period %s', v.number, v.project_id, v.voter_id, v.period_id)"
   " FROM votes v LEFT JOIN projects j ON j.id = v.project_id LEFT JOIN profiles p ON p.id = v.voter_id"
   " LEFT JOIN (SELECT id, seq, lead(seq) OVER (ORDER BY id) AS until FROM voting_periods) d ON d.id = v.period_id"
   " WHERE j.id IS NULL OR p.id IS NULL OR d.id IS NULL OR v.seq < d.seq OR v.seq > d.until"},
  {"tallies", "the tallies of a project are the sums of its votes, as far as they go",
   "WITH counted AS (SELECT v.project_id, v.period_id, (v.cast_at AT TIME ZONE 'UTC')::date AS day,"
   "  count(*) FILTER (WHERE v.bullish) AS bullish, count(*) FILTER (WHERE NOT v.bullish) AS bearish,"
   "  coalesce(sum(v.weight) FILTER (WHERE v.bullish), 0) AS bullish_weight,"
   "  coalesce(sum(v.weight) FILTER (WHERE NOT v.bullish), 0) AS bearish_weight"
   "  FROM votes v JOIN project_rollups r ON r.project_id = v.project_id AND v.number <= r.through GROUP BY 1, 2, 3)"
   " SELECT format('project %s in period %s on %s: %s and %s votes that weigh %s and %s, tallied %s and %s that weigh "
   "%s and %s',"
   "  project_id, period_id, day, c.bullish, c.bearish, c.bullish_weight, c.bearish_weight, t.bullish, t.bearish,"
   "  coalesce(t.bullish_weight, t.bullish), coalesce(t.bearish_weight, t.bearish))"
   " FROM counted c FULL JOIN project_tallies t USING (project_id, period_id, day)"
   " WHERE (c.bullish, c.bearish, c.bullish_weight, c.bearish_weight) IS DISTINCT FROM"
   "  (t.bullish, t.bearish, coalesce(t.bullish_weight, t.bullish), coalesce(t.bearish_weight, t.bearish))"
   " UNION ALL SELECT format('the votes of project %s in period %s weigh %s and %s, tallied %s and %s', project_id, "
   "period_id,"
   "  c.bullish, c.bearish, t.bullish_weight, t.bearish_weight)"
   " FROM (SELECT project_id, period_id, sum(bullish_weight) AS bullish, sum(bearish_weight) AS bearish FROM counted "
   "GROUP BY 1, 2) c"
   " FULL JOIN project_period_tallies t USING (project_id, period_id) JOIN project_rollups r USING (project_id)"
   " WHERE r.periods_through = r.through AND (c.bullish, c.bearish) IS DISTINCT FROM (t.bullish_weight, "
   "t.bearish_weight)"
   " UNION ALL SELECT format('project %s is tallied up to vote %s and has %s', r.project_id, r.through, "
   "count(v.number))"
   " FROM project_rollups r LEFT JOIN votes v ON v.project_id = r.project_id"
   " GROUP BY r.project_id, r.through HAVING r.through > count(v.number)"},
};

} // namespace

template <>
std::span<const promise> promises_of<project::storage>() {
  return promised_of_project;
}

} // namespace credence::persistence
