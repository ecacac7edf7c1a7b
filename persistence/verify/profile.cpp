#include "persistence/verify/promises.hpp"

#include "persistence/sql/profile_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise promised_of_profile[] = {
  {"xp",
   "the balance of an XP account, and how many tips it sent and received, are what its movements made them, and all "
   "balances add up to zero",
   "WITH moved AS (SELECT account, sum(points) AS points FROM (SELECT from_account AS account, -amount AS points FROM "
   "xp_movements"
   "  UNION ALL SELECT to_account, amount FROM xp_movements) sides GROUP BY account)"
   " SELECT format('account %s has %s, its movements make %s', a.id, a.balance, coalesce(m.points, 0))"
   " FROM xp_accounts a LEFT JOIN moved m ON m.account = a.id WHERE a.balance <> coalesce(m.points, 0)"
   " UNION ALL SELECT format('all balances add up to %s', sum(balance)) FROM xp_accounts HAVING sum(balance) <> 0"
   " UNION ALL SELECT format('account %s has sent %s tips and received %s; its movements say %s and %s', a.id, "
   "a.tips_sent, a.tips_received,"
   "  coalesce(s.n, 0), coalesce(r.n, 0)) FROM xp_accounts a"
   "  LEFT JOIN (SELECT from_account, count(*) AS n, sum(amount) AS total FROM xp_movements WHERE kind = 'XP_TIP_SENT' "
   "GROUP BY 1) s ON "
   "s.from_account = a.id"
   "  LEFT JOIN (SELECT to_account, count(*) AS n, sum(amount) AS total FROM xp_movements WHERE kind = 'XP_TIP_SENT' "
   "GROUP BY 1) r ON r.to_account = "
   "a.id"
   "  WHERE (a.tips_sent, a.tips_sent_total, a.tips_received, a.tips_received_total)"
   "   IS DISTINCT FROM (coalesce(s.n, 0), coalesce(s.total, 0), coalesce(r.n, 0), coalesce(r.total, 0))"},
  {"xp by day", "what a profile has earned and spent on a day is what its movements of that day come to, without tips",
   "SELECT format('profile %s is said to have %s points of %s, its movements make %s', account, coalesce(d.points, 0), "
   "day, coalesce(m.points, 0))"
   " FROM xp_days d FULL JOIN (SELECT account, (at AT TIME ZONE 'UTC')::date AS day, sum(points) AS points FROM ("
   "  SELECT from_account AS account, at, -amount AS points, kind FROM xp_movements UNION ALL SELECT to_account, at, "
   "amount, kind FROM xp_movements) "
   "s"
   "  WHERE kind <> 'XP_TIP_SENT' AND account > 0 GROUP BY 1, 2) m USING (account, day) WHERE d.points IS DISTINCT "
   "FROM m.points"},
};

} // namespace

template <>
std::span<const promise> promises_of<profile::storage>() {
  return promised_of_profile;
}

} // namespace credence::persistence
