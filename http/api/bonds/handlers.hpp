#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Bonds, which an admin records; they are read with the human verification of a person and in feeds. With
/// `dryRun=true` a write is decided and answered without effect.
namespace credence::http::v2 {

/// POST /api/v2/bonds/create: `{authorProfileId, subjectProfileId, bondType, amount, amountType, statement?,
/// verificationMethod?, comment?, expiration?}`
void post_bond(call& c);
void replay_post_bond(call& c, const idempotency::found_record& done);
/// POST /api/v2/bonds/{id}/archive: `{reason}`
void post_bond_archive(call& c);
/// POST /api/v2/bonds/{id}/expiration: `{expiration}`
void post_bond_expiration(call& c);
/// Of both: the bond as it is now.
void replay_change_bond(call& c, const idempotency::found_record&);

} // namespace credence::http::v2
