#include "persistence/verify/promises.hpp"

#include "persistence/sql/reputation_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise all[] = {
  {"records", "ids of the API have no gaps, what a subject has received is counted, and a user has at least what its subjects have",
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
   "  LEFT JOIN activities a ON a.kind = 'review' AND a.id = r.id WHERE a.archived IS DISTINCT FROM r.archived"},
};

} // namespace

template <>
std::span<const promise> promises_of<reputation::storage>() {
  return all;
}

} // namespace credence::persistence
