#include "persistence/verify/promises.hpp"

#include "persistence/sql/wallet_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise promised_of_wallets[] = {
  {"managed wallets",
   "each managed wallet is its profile's, was made once, and is sealed under one of two master keys that follow each "
   "other",
   "SELECT format('wallet %s is of profile %s', id, coalesce(profile_id::text, 'nobody')) FROM managed_wallets"
   "  WHERE id <> coalesce(profile_id, 0)"
   " UNION ALL SELECT format('wallet %s was taken out at %s, and made at %s', id, exported_at, created_at) FROM "
   "managed_wallets"
   "  WHERE exported_at < created_at - interval '1 day'"
   " UNION ALL SELECT format('wallets are sealed under the master keys %s to %s: finish the rotation with credence "
   "wallets rotate', least, most)"
   "  FROM (SELECT min(master_version) AS least, max(master_version) AS most FROM managed_wallets) versions WHERE most "
   "> least + 1"
   " UNION ALL SELECT format('%s wallets have the same sealed key', count(*)) FROM managed_wallets"
   "  GROUP BY sealed_key HAVING count(*) > 1"},
};

} // namespace

template <>
std::span<const promise> promises_of<wallets::storage>() {
  return promised_of_wallets;
}

} // namespace credence::persistence
