#include "persistence/verify/promises.hpp"

#include "persistence/sql/reputation_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise all[] = {
  {"records", "ids of the API have no gaps, what subjects and activities have received is counted, and a user has at least what its subjects have",
   "SELECT format('reviews of the API are numbered from %s to %s, and there are %s', min(id), max(id), count(*)) FROM reviews"
   "  WHERE source = 'api' HAVING count(*) > 0 AND (min(id) <> 1 OR max(id) <> count(*))"
   " UNION ALL SELECT format('subject %s, generation %s, is said to have %s negative, %s neutral and %s positive reviews, and has %s, %s and %s',"
   "   s.key, s.generation, s.reviews_negative, s.reviews_neutral, s.reviews_positive, r.negative, r.neutral, r.positive)"
   "  FROM subjects s, LATERAL (SELECT count(*) FILTER (WHERE score = 0) AS negative, count(*) FILTER (WHERE score = 1) AS neutral,"
   "   count(*) FILTER (WHERE score = 2) AS positive FROM reviews WHERE subject_key = s.key AND subject_generation = s.generation"
   "   AND NOT archived) r"
   "  WHERE (s.reviews_negative, s.reviews_neutral, s.reviews_positive) <> (r.negative, r.neutral, r.positive)"
   " UNION ALL SELECT format('user %s has received fewer reviews than its subjects', u.id) FROM users u JOIN (SELECT user_id,"
   "   sum(reviews_negative) AS negative, sum(reviews_neutral) AS neutral, sum(reviews_positive) AS positive FROM subjects GROUP BY user_id) s"
   "  ON s.user_id = u.id WHERE u.reviews_negative < s.negative OR u.reviews_neutral < s.neutral OR u.reviews_positive < s.positive"
   " UNION ALL SELECT format('review %s is shown as archived: %s, and is so: %s', r.id, a.archived, r.archived) FROM reviews r"
   "  LEFT JOIN activities a ON a.kind = 'review' AND a.id = r.id WHERE a.archived IS DISTINCT FROM r.archived"
   " UNION ALL SELECT format('%s of the API are numbered from %s to %s, and there are %s', what, min(n), max(n), count(*)) FROM ("
   "  SELECT 'vouches' AS what, number AS n FROM vouches WHERE source = 'api' UNION ALL SELECT 'replies', id FROM replies WHERE source = 'api'"
   "  UNION ALL SELECT 'invitations', id FROM invitations WHERE source = 'api'"
   "  UNION ALL SELECT 'votes on activities', number FROM activity_votes WHERE source = 'api') given GROUP BY what"
   "  HAVING min(n) <> 1 OR max(n) <> count(*)"
   " UNION ALL SELECT format('vouches for subject %s, generation %s, hold %s wei of eth and %s of whuf, not %s and %s', s.key, s.generation,"
   "   v.eth, v.whuf, s.eth_wei, s.whuf_wei) FROM subjects s, LATERAL (SELECT coalesce(sum(balance) FILTER (WHERE token = 'eth'), 0) AS eth,"
   "   count(*) FILTER (WHERE token = 'eth') AS eth_n, coalesce(sum(balance) FILTER (WHERE token = 'whuf'), 0) AS whuf,"
   "   count(*) FILTER (WHERE token = 'whuf') AS whuf_n FROM vouches WHERE subject_key = s.key AND subject_generation = s.generation"
   "   AND NOT archived) v WHERE (s.eth_wei, s.eth_count, s.whuf_wei, s.whuf_count) <> (v.eth, v.eth_n, v.whuf, v.whuf_n)"
   " UNION ALL SELECT format('%s %s has %s votes up, %s down and %s replies, not %s, %s and %s', t.kind, t.target_id, c.up, c.down, c.replies,"
   "   t.up, t.down, t.replies) FROM activity_tallies t, LATERAL (SELECT count(*) FILTER (WHERE upvote) AS up,"
   "   count(*) FILTER (WHERE NOT upvote) AS down, (SELECT count(*) FROM replies r WHERE r.target_kind = t.kind AND r.target_id = t.target_id)"
   "   AS replies FROM activity_votes v WHERE v.kind = t.kind AND v.target_id = t.target_id AND NOT v.archived) c"
   "  WHERE (t.up, t.down, t.replies) <> (c.up, c.down, c.replies)"
   " UNION ALL SELECT format('there are %s profiles with %s invitations left (archived: %s), and %s with %s are counted', p.n, p.invites, s.archived,"
   "   s.profiles, s.invites) FROM profile_sums s, LATERAL (SELECT count(*) AS n, coalesce(sum(invites_available), 0) AS invites FROM profiles"
   "   WHERE archived = s.archived) p WHERE (s.profiles, s.invites) <> (p.n, p.invites)"
   " UNION ALL SELECT format('user %s is merged into user %s, who is itself merged or does not exist', u.id, u.merged_into) FROM users u"
   "  LEFT JOIN users o ON o.id = u.merged_into WHERE u.merged_into IS NOT NULL AND o.status IS DISTINCT FROM 'ACTIVE'"
   "  AND o.status IS DISTINCT FROM 'INACTIVE'"},
};

} // namespace

template <>
std::span<const promise> promises_of<reputation::storage>() {
  return all;
}

} // namespace credence::persistence
