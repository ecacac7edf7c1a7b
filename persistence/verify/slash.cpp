#include "persistence/verify/promises.hpp"

#include "persistence/sql/slash_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise all[] = {
  {"slashes", "a slash closed once, at its end or when it was cancelled, as the last vote of each voter decides",
   "WITH counted AS (SELECT slash_id, coalesce(sum(weight) FILTER (WHERE for_slash), 0) AS slash,"
   "  coalesce(sum(weight) FILTER (WHERE NOT for_slash), 0) AS defend"
   "  FROM (SELECT DISTINCT ON (slash_id, voter_id) slash_id, for_slash, weight FROM slash_votes"
   "   ORDER BY slash_id, voter_id, number DESC) last GROUP BY slash_id),"
   " decided AS (SELECT s.*, coalesce(c.slash, 0) AS slash, coalesce(c.defend, 0) AS defend,"
   "  CASE WHEN s.cancelled_at IS NOT NULL THEN 'CANCELLED'"
   "   WHEN coalesce(c.slash, 0) * 100 > (coalesce(c.slash, 0) + coalesce(c.defend, 0)) * 60 THEN 'SLASHED'"
   "   WHEN coalesce(c.slash, 0) * 100 < (coalesce(c.slash, 0) + coalesce(c.defend, 0)) * 40 THEN 'DEFENDED'"
   "   ELSE 'INCONCLUSIVE' END AS due FROM slashes s LEFT JOIN counted c ON c.slash_id = s.id)"
   " SELECT format('slash %s is %s with %s to %s, its votes make %s with %s to %s', id, outcome, slash_weight, defend_weight,"
   "  due, slash, defend) FROM decided WHERE closed_at IS NOT NULL"
   "  AND (outcome, slash_weight, defend_weight) IS DISTINCT FROM (due, slash, defend)"
   " UNION ALL SELECT format('slash %s closed at %s, not at its end or when it was cancelled', id, closed_at) FROM slashes"
   "  WHERE closed_at <> coalesce(cancelled_at, created_at + duration_s * interval '1 second')"
   " UNION ALL SELECT format('slash %s has %s votes numbered from %s to %s', slash_id, count(*), min(number), max(number))"
   "  FROM slash_votes GROUP BY slash_id HAVING min(number) <> 1 OR max(number) <> count(*)"
   " UNION ALL SELECT format('the vote of profile %s on slash %s that counts is %s with %s, its last one was %s with %s', voter_id,"
   "  slash_id, b.for_slash, b.weight, v.for_slash, v.weight) FROM slash_ballots b FULL JOIN (SELECT DISTINCT ON (slash_id, voter_id)"
   "   slash_id, voter_id, for_slash, weight FROM slash_votes ORDER BY slash_id, voter_id, number DESC) v USING (slash_id, voter_id)"
   "  WHERE (b.for_slash, b.weight) IS DISTINCT FROM (v.for_slash, v.weight)"
   " UNION ALL SELECT format('slash %s is said to have %s votes that weigh %s to %s, and has %s that weigh %s to %s', s.id, t.votes,"
   "  t.for_it, t.against_it, (SELECT count(*) FROM slash_votes v WHERE v.slash_id = s.id), coalesce(c.slash, 0), coalesce(c.defend, 0))"
   "  FROM slashes s LEFT JOIN slash_tallies t ON t.slash_id = s.id LEFT JOIN counted c ON c.slash_id = s.id"
   "  WHERE (t.votes::bigint, t.for_it, t.against_it) IS DISTINCT FROM ((SELECT count(*) FROM slash_votes v WHERE v.slash_id = s.id),"
   "   coalesce(c.slash, 0), coalesce(c.defend, 0))"
   " UNION ALL SELECT format('vote %s on slash %s came at %s, when it was not open', v.number, v.slash_id, v.cast_at)"
   "  FROM slash_votes v LEFT JOIN slashes s ON s.id = v.slash_id WHERE s.id IS NULL OR v.cast_at < s.created_at"
   "  OR v.cast_at >= s.created_at + s.duration_s * interval '1 second' OR v.seq < s.seq OR v.seq > s.closed_seq"},
};

} // namespace

template <>
std::span<const promise> promises_of<slash::storage>() {
  return all;
}

} // namespace credence::persistence
