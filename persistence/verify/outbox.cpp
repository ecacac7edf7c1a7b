#include "persistence/verify/promises.hpp"

#include "persistence/sql/outbox_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise promised_of_outbox[] = {
  {"wallet transactions",
   "a nonce of a managed wallet is in one block at most, none is left out, and what replaced another is of the same "
   "nonce",
   "SELECT format('wallet %s has %s transactions with nonce %s in blocks', wallet_id, count(*), nonce) FROM "
   "wallet_transactions"
   "  WHERE block IS NOT NULL AND state IN ('mined', 'settled', 'failed') GROUP BY wallet_id, nonce HAVING count(*) > 1"
   " UNION ALL SELECT format('wallet %s has settled %s nonces up to %s', u.wallet_id, u.n, u.last) FROM (SELECT "
   "wallet_id, count(*) AS n,"
   "   max(nonce) AS last FROM wallet_transactions WHERE done AND block IS NOT NULL GROUP BY wallet_id) u"
   "  JOIN managed_wallets w ON w.id = u.wallet_id WHERE u.n <> u.last + 1 AND w.exported_at IS NULL"
   "   AND NOT EXISTS (SELECT FROM wallet_transactions f WHERE f.wallet_id = u.wallet_id AND f.state = 'failed' AND "
   "f.done AND f.block IS NULL"
   "    AND f.reason LIKE 'nonce_conflict: %')"
   " UNION ALL SELECT format('transaction %s replaces %s of another nonce', n.seq, o.seq) FROM wallet_transactions n"
   "  JOIN wallet_transactions o ON o.seq = n.replaces WHERE (n.wallet_id, n.nonce) <> (o.wallet_id, o.nonce)"
   " UNION ALL SELECT format('transaction %s is settled in block %s, behind the authority block %s', t.seq, t.block, "
   "f.authority)"
   "  FROM wallet_transactions t CROSS JOIN chain_follow f WHERE t.state = 'settled' AND t.block > f.authority"},
};

} // namespace

template <>
std::span<const promise> promises_of<wallets::outbox_storage>() {
  return promised_of_outbox;
}

} // namespace credence::persistence
