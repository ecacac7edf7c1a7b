#include "persistence/verify/promises.hpp"

namespace credence::persistence {

namespace {

constexpr promise promised_of_audit[] = {
  {"audit",
   "the rows of the audit are numbered 1, 2, 3 and so on, each holds the hash of the one before, and none was changed",
   "SELECT format('row %s of the audit is not what was written, or what was before it is gone', number)"
   " FROM (SELECT a.number, a.hash, a.previous, audit_hash(a) AS worked_out, lag(a.number, 1, 0::bigint) OVER w AS "
   "number_before,"
   "   lag(a.hash, 1, decode(repeat('00', 32), 'hex')) OVER w AS hash_before FROM audit_log a WINDOW w AS (ORDER BY "
   "a.number)) each"
   " WHERE number <> number_before + 1 OR previous <> hash_before OR hash <> worked_out"},
  {"audit_money", "the audit tells of every deposit and withdrawal since it began",
   "SELECT format('transfer %s is not in the audit', t.seq) FROM wei_transfers t"
   " WHERE t.kind IN ('DEPOSIT', 'WITHDRAWAL') AND t.at > (SELECT at FROM audit_log WHERE number = 1)"
   "  AND NOT EXISTS (SELECT FROM audit_log a WHERE a.act = lower(t.kind) AND a.profile_id = t.profile_id"
   "   AND a.subject = format('transfer %s of %s wei', t.seq, t.amount))"},
};

} // namespace

std::span<const promise> audit_promises() { return promised_of_audit; }

} // namespace credence::persistence
