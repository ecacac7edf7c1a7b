#include "persistence/verify/promises.hpp"

#include "persistence/sql/slash_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise promised_of_slash[] = {
  {"slashes", "a slash closed once, at its end or when it was cancelled, as the last vote of each voter decides",
   "WITH counted AS (SELECT slash_id, coalesce(sum(weight) FILTER (WHERE for_slash), 0) AS slash,"
   "  coalesce(sum(weight) FILTER (WHERE NOT for_slash), 0) AS defend"
   "  FROM (SELECT DISTINCT ON (slash_id, voter_id) slash_id, for_slash, weight FROM slash_votes"
   "   ORDER BY slash_id, voter_id, number DESC) last GROUP BY slash_id),"
   " decided AS (SELECT s.*, coalesce(c.slash, 0) AS slash, coalesce(c.defend, 0) AS defend,"
   "  CASE WHEN s.cancelled_at IS NOT NULL THEN 'CANCELLED'"
   "   WHEN coalesce(c.slash, 0) * 100 > (coalesce(c.slash, 0) + coalesce(c.defend, 0)) * 60 THEN 'SLASHED'"
   "   WHEN coalesce(c.slash, 0) * 100 < (coalesce(c.slash, 0) + coalesce(c.defend, 0)) * 40 THEN 'DEFENDED'"
   "   ELSE 'INCONCLUSIVE' END AS due FROM slashes s LEFT JOIN counted c ON c.slash_id = s.id WHERE s.source = 'api')"
   " SELECT format('slash %s is %s with %s to %s, its votes make %s with %s to %s', id, outcome, slash_weight, "
   "defend_weight,"
   "  due, slash, defend) FROM decided WHERE closed_at IS NOT NULL"
   "  AND (outcome, slash_weight, defend_weight) IS DISTINCT FROM (due, slash, defend)"
   " UNION ALL SELECT format('slash %s closed at %s, not at its end or when it was cancelled', id, closed_at) FROM "
   "slashes"
   "  WHERE source = 'api' AND closed_at <> coalesce(cancelled_at, created_at + duration_s * interval '1 second')"
   " UNION ALL SELECT format('slash %s has %s votes numbered from %s to %s', slash_id, count(*), min(number), "
   "max(number))"
   "  FROM slash_votes GROUP BY slash_id HAVING min(number) <> 1 OR max(number) <> count(*)"
   " UNION ALL SELECT format('the vote of profile %s on slash %s that counts is %s with %s, its last one was %s with "
   "%s', voter_id,"
   "  slash_id, b.for_slash, b.weight, v.for_slash, v.weight) FROM slash_ballots b FULL JOIN (SELECT DISTINCT ON "
   "(slash_id, voter_id)"
   "   slash_id, voter_id, for_slash, weight FROM slash_votes ORDER BY slash_id, voter_id, number DESC) v USING "
   "(slash_id, voter_id)"
   "  LEFT JOIN slashes s ON s.id = slash_id WHERE s.source IS DISTINCT FROM 'chain' AND (b.for_slash, b.weight) IS "
   "DISTINCT FROM (v.for_slash, "
   "v.weight)"
   " UNION ALL SELECT format('slash %s is said to have %s votes that weigh %s to %s, and has %s that weigh %s to %s', "
   "s.id, t.votes,"
   "  t.for_it, t.against_it, (SELECT count(*) FROM slash_votes v WHERE v.slash_id = s.id), coalesce(c.slash, 0), "
   "coalesce(c.defend, 0))"
   "  FROM slashes s LEFT JOIN slash_tallies t ON t.slash_id = s.id LEFT JOIN counted c ON c.slash_id = s.id"
   "  WHERE s.source = 'api' AND (t.votes::bigint, t.for_it, t.against_it) IS DISTINCT FROM ((SELECT count(*) FROM "
   "slash_votes v WHERE v.slash_id = "
   "s.id),"
   "   coalesce(c.slash, 0), coalesce(c.defend, 0))"
   " UNION ALL SELECT format('vote %s on slash %s came at %s, when it was not open', v.number, v.slash_id, v.cast_at)"
   "  FROM slash_votes v LEFT JOIN slashes s ON s.id = v.slash_id WHERE s.id IS NULL OR v.cast_at < s.created_at"
   "  OR v.cast_at >= s.created_at + s.duration_s * interval '1 second' OR v.seq < s.seq OR v.seq > s.closed_seq"},
  {"slash outcomes",
   "what slashes for XP put aside was paid out once, to whom it was due, and vouches lost what slashes for money took",
   "SELECT format('open slashes have put %s XP aside, and %s lies there', (SELECT coalesce(sum(2 * amount), 0) FROM "
   "slashes"
   "  WHERE type = 'XP' AND closed_at IS NULL AND source = 'api'), balance) FROM xp_accounts WHERE id = -2"
   "  AND balance <> (SELECT coalesce(sum(2 * amount), 0) FROM slashes WHERE type = 'XP' AND closed_at IS NULL AND "
   "source = 'api')"
   " UNION ALL SELECT format('profile %s has got %s XP of slash %s, and is due %s', coalesce(d.who, p.who), "
   "coalesce(p.points, 0),"
   "   coalesce(d.id, p.id), coalesce(d.points, 0)) FROM ("
   "   SELECT id, who, sum(points) AS points FROM (SELECT id, author_id AS who, -amount AS points FROM slashes WHERE "
   "type = 'XP' AND source = 'api'"
   "    UNION ALL SELECT id, subject_profile_id, -amount FROM slashes WHERE type = 'XP' AND source = 'api'"
   "    UNION ALL SELECT id, CASE outcome WHEN 'DEFENDED' THEN subject_profile_id ELSE author_id END, amount FROM "
   "slashes"
   "     WHERE type = 'XP' AND source = 'api' AND closed_at IS NOT NULL"
   "    UNION ALL SELECT id, CASE outcome WHEN 'SLASHED' THEN author_id ELSE subject_profile_id END, amount FROM "
   "slashes"
   "     WHERE type = 'XP' AND source = 'api' AND closed_at IS NOT NULL) sides GROUP BY id, who) d"
   "  FULL JOIN (SELECT source_id AS id, who, sum(points) AS points FROM (SELECT source_id, from_account AS who, "
   "-amount AS points"
   "    FROM xp_movements WHERE to_account = -2 UNION ALL SELECT source_id, to_account, amount FROM xp_movements WHERE "
   "from_account = -2) moved"
   "   GROUP BY source_id, who) p ON p.id = d.id AND p.who = d.who WHERE d.points IS DISTINCT FROM p.points"
   " UNION ALL SELECT format('vouch %s has lost %s wei to slashes, which took %s', v.number, v.slashed, "
   "coalesce(c.amount, 0))"
   "  FROM vouches v LEFT JOIN (SELECT contract, number, sum(amount) AS amount FROM slash_cuts GROUP BY contract, "
   "number) c"
   "   ON c.contract = v.contract AND c.number = v.number WHERE v.source = 'api' AND v.slashed <> coalesce(c.amount, 0)"
   " UNION ALL SELECT format('slash %s took %s wei of vouch %s, and is none for money that somebody lost', c.slash_id, "
   "c.amount, c.number)"
   "  FROM slash_cuts c LEFT JOIN slashes s ON s.id = c.slash_id"
   "  WHERE s.type IS DISTINCT FROM 'FINANCIAL' OR coalesce(s.outcome NOT IN ('SLASHED', 'DEFENDED'), true)"},
  {"slashes of events",
   "a slash that events made has the votes that activities had before its end, closed at its end unless events say "
   "otherwise, and costs"
   " those score whom it says",
   "WITH cast_votes AS (SELECT v.target_id, v.voter, v.upvote, v.created_at >= s.ends_at AS late FROM activity_votes v "
   "JOIN slashes s ON s.id = "
   "v.target_id AND s.source = 'chain'"
   "   WHERE v.kind = 'slash' AND NOT v.archived AND v.voter <> s.author_id AND v.voter IS DISTINCT FROM "
   "s.subject_profile_id),"
   "  kept AS (SELECT b.* FROM slash_ballots b JOIN slashes s ON s.id = b.slash_id AND s.source = 'chain'),"
   "  costs AS (SELECT s.id, coalesce(u.merged_into, u.id) AS user_id, max((d ->> 2)::int) AS points FROM slashes s,"
   "   jsonb_array_elements(s.penalties) d JOIN users u ON u.id = (d ->> 0)::int WHERE s.source = 'chain' GROUP BY 1, "
   "2)"
   " SELECT format('the vote of profile %s on slash %s is kept as %s, and is %s', coalesce(b.voter_id, v.voter),"
   "  coalesce(b.slash_id, v.target_id), b.for_slash, v.upvote) FROM kept b FULL JOIN cast_votes v ON v.target_id = "
   "b.slash_id"
   "  AND v.voter = b.voter_id WHERE b.for_slash IS DISTINCT FROM v.upvote AND NOT (b.voter_id IS NULL AND v.late)"
   " UNION ALL SELECT format('the votes on slash %s are said to weigh %s to %s', s.id, t.for_it, t.against_it) FROM "
   "slashes s"
   "  LEFT JOIN slash_tallies t ON t.slash_id = s.id CROSS JOIN LATERAL (SELECT coalesce(sum(weight) FILTER (WHERE "
   "for_slash), 0)::int8 AS for_it,"
   "   coalesce(sum(weight) FILTER (WHERE NOT for_slash), 0)::int8 AS against_it FROM kept b WHERE b.slash_id = s.id) k"
   "  WHERE s.source = 'chain' AND (t.for_it, t.against_it) IS DISTINCT FROM (k.for_it, k.against_it)"
   " UNION ALL SELECT format('slash %s closed at %s, and ends at %s', id, closed_at, ends_at) FROM slashes WHERE "
   "source = 'chain'"
   "  AND (ends_at <> created_at + duration_s * interval '1 second' OR (ended_by = 'time' AND closed_at <> ends_at))"
   " UNION ALL SELECT format('slash %s costs user %s %s points, and says %s', coalesce(p.slash_id, c.id), "
   "coalesce(p.user_id, c.user_id),"
   "  p.points, c.points) FROM (SELECT p.* FROM slash_penalties p JOIN slashes s ON s.id = p.slash_id AND s.source = "
   "'chain') p"
   "  FULL JOIN costs c ON c.id = p.slash_id AND c.user_id = p.user_id WHERE p.points IS DISTINCT FROM c.points"},
};

} // namespace

template <>
std::span<const promise> promises_of<slash::storage>() {
  return promised_of_slash;
}

} // namespace credence::persistence
