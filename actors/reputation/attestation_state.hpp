#pragma once

#include "actors/reputation/record_rules.hpp"

/// The rules of attestations.
namespace credence::reputation {

void add_keys(const attest_account& command, record_keys& to);
void add_keys(const archive_attestation& command, record_keys& to);

outcome<decided<attestation_record, account_attested>> decide(const record_rows& rows, const attest_account& command,
                                                              const settings::people& how, timestamp now);
outcome<decided<attestation_record, attestation_archived>>
decide(const record_rows& rows, const archive_attestation& command, const settings::people& how, timestamp now);

} // namespace credence::reputation
