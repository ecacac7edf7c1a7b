#include "persistence/verify/promises.hpp"

#include "persistence/sql/period_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise promised_of_period[] = {
  {"periods", "voting periods follow each other, and one is open",
   "SELECT format('%s voting periods are open', count(*)) FROM voting_periods WHERE closed_at IS NULL"
   " HAVING count(*) <> 1 AND EXISTS (SELECT FROM voting_periods)"
   " UNION ALL SELECT format('voting period %s does not follow %s', id, before)"
   " FROM (SELECT id, starts_at, lag(id, 1, 0) OVER w AS before, lag(closed_at) OVER w AS closed_before"
   "  FROM voting_periods WINDOW w AS (ORDER BY id)) each WHERE id <> before + 1 OR starts_at < closed_before"},
};

} // namespace

template <>
std::span<const promise> promises_of<period::storage>() {
  return promised_of_period;
}

} // namespace credence::persistence
