#include "persistence/verify/promises.hpp"

#include "persistence/sql/market_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise promised_of_funds[] = {
  {"wei", "every balance, pool and fee is what its movements made it, and all together are what was credited",
   "WITH moved AS (SELECT kind, id, sum(amount) AS amount FROM (SELECT from_kind AS kind, from_id AS id, -amount AS "
   "amount"
   "  FROM wei_movements UNION ALL SELECT to_kind, to_id, amount FROM wei_movements) sides GROUP BY 1, 2),"
   " there AS (SELECT 'profile' AS kind, profile_id AS id, balance AS amount FROM wei_accounts"
   "  UNION ALL SELECT 'pool', profile_id, pool FROM markets UNION ALL SELECT 'locked', profile_id, locked FROM markets"
   "  UNION ALL SELECT 'fees', 0, coalesce(sum(protocol_fees), 0) FROM markets)"
   " SELECT format('%s of %s has %s wei, its movements make %s', kind, id, coalesce(t.amount, 0), coalesce(m.amount, "
   "0))"
   " FROM there t FULL JOIN moved m USING (kind, id) WHERE kind <> 'outside' AND coalesce(t.amount, 0) <> "
   "coalesce(m.amount, 0)"
   " UNION ALL SELECT format('%s wei were credited, and %s are there', credited, held) FROM (SELECT"
   "  coalesce((SELECT sum(CASE kind WHEN 'DEPOSIT' THEN amount WHEN 'WITHDRAWAL' THEN -amount ELSE 0 END) FROM "
   "wei_transfers), 0)"
   "  AS credited, coalesce((SELECT sum(amount) FROM there), 0) AS held) both_of_them WHERE credited <> held"},
};

} // namespace

template <>
std::span<const promise> promises_of<funds::storage>() {
  return promised_of_funds;
}

} // namespace credence::persistence
