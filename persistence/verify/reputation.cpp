#include "persistence/verify/promises.hpp"

#include "persistence/sql/reputation_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise promised_of_reputation[] = {
  {"records", "ids of the API have no gaps, what subjects, users and activities have given and received is counted",
   "SELECT format('reviews of the API are numbered from %s to %s, and there are %s', min(id), max(id), count(*)) FROM reviews"
   "  WHERE source = 'api' HAVING count(*) > 0 AND (min(id) <> 1 OR max(id) <> count(*))"
   " UNION ALL SELECT format('subject %s, generation %s, is said to have %s negative, %s neutral and %s positive reviews, and has %s, %s and %s',"
   "   s.key, s.generation, s.reviews_negative, s.reviews_neutral, s.reviews_positive, r.negative, r.neutral, r.positive)"
   "  FROM subjects s, LATERAL (SELECT count(*) FILTER (WHERE score = 0) AS negative, count(*) FILTER (WHERE score = 1) AS neutral,"
   "   count(*) FILTER (WHERE score = 2) AS positive FROM reviews WHERE subject_key = s.key AND subject_generation = s.generation"
   "   AND NOT archived) r"
   "  WHERE (s.reviews_negative, s.reviews_neutral, s.reviews_positive) <> (r.negative, r.neutral, r.positive)"
   " UNION ALL SELECT format('user %s is said to have received %s negative, %s neutral and %s positive reviews, and its subjects %s, %s and %s',"
   "   u.id, u.reviews_negative, u.reviews_neutral, u.reviews_positive, s.negative, s.neutral, s.positive) FROM users u LEFT JOIN (SELECT user_id,"
   "   sum(reviews_negative) AS negative, sum(reviews_neutral) AS neutral, sum(reviews_positive) AS positive FROM subjects GROUP BY user_id) s"
   "  ON s.user_id = u.id WHERE (u.reviews_negative, u.reviews_neutral, u.reviews_positive)"
   "   <> (coalesce(s.negative, 0), coalesce(s.neutral, 0), coalesce(s.positive, 0))"
   " UNION ALL SELECT format('user %s is said to have given %s and received %s wei of %s, and vouches come to %s and %s', user_id, u.given_wei,"
   "   u.received_wei, token, c.given, c.received) FROM user_vouches u FULL JOIN (SELECT user_id, token, sum(given) AS given, sum(given_n) AS "
   "given_n,"
   "   sum(given_ever) AS given_ever, sum(given_ever_n) AS given_ever_n, sum(received) AS received, sum(received_n) AS received_n,"
   "   sum(received_ever) AS received_ever, sum(received_ever_n) AS received_ever_n FROM ("
   "    SELECT p.user_id, v.token, CASE WHEN v.archived THEN 0 ELSE v.balance END AS given, (NOT v.archived)::int AS given_n,"
   "     greatest(v.deposited, v.balance + v.withdrawn) AS given_ever, 1 AS given_ever_n, 0 AS received, 0 AS received_n, 0 AS received_ever,"
   "     0 AS received_ever_n FROM vouches v JOIN profiles p ON p.id = v.author_profile"
   "    UNION ALL SELECT user_id, 'eth', 0, 0, 0, 0, eth_wei, eth_count, eth_ever_wei, eth_ever_count FROM subjects"
   "    UNION ALL SELECT user_id, 'whuf', 0, 0, 0, 0, whuf_wei, whuf_count, whuf_ever_wei, whuf_ever_count FROM subjects) each_one"
   "   GROUP BY user_id, token) c USING (user_id, token) WHERE"
   "   (coalesce(u.given_wei, 0), coalesce(u.given_count, 0), coalesce(u.lifetime_given_wei, 0), coalesce(u.lifetime_given_count, 0),"
   "    coalesce(u.received_wei, 0), coalesce(u.received_count, 0), coalesce(u.lifetime_received_wei, 0), coalesce(u.lifetime_received_count, 0))"
   "   <> (coalesce(c.given, 0), coalesce(c.given_n, 0), coalesce(c.given_ever, 0), coalesce(c.given_ever_n, 0),"
   "    coalesce(c.received, 0), coalesce(c.received_n, 0), coalesce(c.received_ever, 0), coalesce(c.received_ever_n, 0))"
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
   " UNION ALL SELECT format('project %s is said to have %s comments, and has %s', p.id, p.comment_count, r.n) FROM projects p,"
   "   LATERAL (SELECT count(*) AS n FROM replies WHERE target_kind = 'project' AND target_id = p.id) r WHERE p.comment_count <> r.n"
   " UNION ALL SELECT format('there are %s profiles with %s invitations left (archived: %s), and %s with %s are counted', p.n, p.invites, s.archived,"
   "   s.profiles, s.invites) FROM profile_sums s, LATERAL (SELECT count(*) AS n, coalesce(sum(invites_available), 0) AS invites FROM profiles"
   "   WHERE archived = s.archived) p WHERE (s.profiles, s.invites) <> (p.n, p.invites)"
   " UNION ALL SELECT format('user %s is merged into user %s, who is itself merged or does not exist', u.id, u.merged_into) FROM users u"
   "  LEFT JOIN users o ON o.id = u.merged_into WHERE u.merged_into IS NOT NULL AND o.status IS DISTINCT FROM 'ACTIVE'"
   "  AND o.status IS DISTINCT FROM 'INACTIVE'"
   " UNION ALL SELECT format('account %s at %s is attested for user %s, and what it received is of user %s', a.account, a.service, a.user_id,"
   "   s.user_id) FROM attestations a JOIN subjects s ON s.key = a.hash"
   "   AND s.generation = (SELECT max(n.generation) FROM subjects n WHERE n.key = a.hash)"
   "  WHERE a.attested_by IS NOT NULL AND s.user_id <> a.user_id"
   " UNION ALL SELECT format('user %s is verified by the record: %s, and has the status %s', h.user_id, h.verified, u.human_verification)"
   "  FROM human_verifications h JOIN users u ON u.id = h.user_id"
   "  WHERE u.human_verification IS DISTINCT FROM CASE WHEN h.verified THEN 'VERIFIED' ELSE 'REVOKED' END"},
  {"bonds", "bonds of the API have ids without gaps, and people without an admin's word are verified as bonds say",
   "SELECT format('bonds of the API are numbered from %s to %s, and there are %s', min(id), max(id), count(*)) FROM bonds"
   "  WHERE source = 'api' HAVING count(*) > 0 AND (min(id) <> 1 OR max(id) <> count(*))"
   " UNION ALL SELECT format('user %s is said to have bonds of %s verifiers in force, and has those of %s', p.user_id, b.verifiers, c.n)"
   "  FROM (SELECT subject_profile, count(DISTINCT author_profile) FILTER (WHERE NOT archived AND NOT lapsed) AS n FROM bonds"
   "   GROUP BY subject_profile) c JOIN profiles p ON p.id = c.subject_profile LEFT JOIN bonded_people b ON b.user_id = p.user_id"
   "  WHERE b.verifiers IS DISTINCT FROM c.n"
   " UNION ALL SELECT format('user %s has the status %s, and bonds of %s verifiers', u.id, u.human_verification, b.verifiers)"
   "  FROM bonded_people b JOIN users u ON u.id = b.user_id WHERE NOT EXISTS (SELECT FROM human_verifications h WHERE h.user_id = u.id)"
   "  AND u.human_verification IS DISTINCT FROM bonded_status(b.verifiers, b.reached, b.given)"
   " UNION ALL SELECT format('bond %s is taken for expired, and expires at %s', id, expires_at) FROM bonds WHERE lapsed AND expires_at > now()"
   " UNION ALL SELECT format('bond %s is shown as archived: %s, and is so: %s', b.id, a.archived, b.archived) FROM bonds b"
   "  LEFT JOIN activities a ON a.kind = 'bond' AND a.id = b.id WHERE a.archived IS DISTINCT FROM b.archived"},
  {"projects", "projects of the API are numbered without gaps in the order in which they were made, and no user of one is merged",
   "SELECT format('projects of the API are numbered from %s to %s, and there are %s', min(id), max(id), count(*)) FROM projects"
   "  WHERE seq IS NOT NULL HAVING count(*) > 0 AND max(id) - min(id) + 1 <> count(*)"
   " UNION ALL SELECT format('project %s was made before the one it follows', id) FROM (SELECT id, seq, lag(seq) OVER (ORDER BY id) AS before"
   "  FROM projects WHERE seq IS NOT NULL) each WHERE seq < before"
   " UNION ALL SELECT format('project %s is of user %s, who is merged', p.id, p.user_id) FROM projects p JOIN users u ON u.id = p.user_id"
   "  WHERE u.status = 'MERGED'"
   " UNION ALL SELECT format('the links of project %s do not lie one after the other', project_id) FROM project_links GROUP BY project_id"
   "  HAVING min(position) <> 0 OR max(position) <> count(*) - 1"},
};

} // namespace

template <>
std::span<const promise> promises_of<reputation::storage>() {
  return promised_of_reputation;
}

} // namespace credence::persistence
