#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Attestations: which accounts elsewhere are a profile's. With `dryRun=true` a write is decided and answered without
/// effect.
namespace credence::http::v2 {

/// POST /api/v2/attestations/create: `{profileId, service, account, username?, evidence}`
void post_attestation(call& c);
void replay_post_attestation(call& c, const idempotency::found_record& done);
/// GET /api/v2/attestations/{id}
void get_attestation(call& c);
/// POST /api/v2/attestations/{id}/archive and /restore
void post_attestation_archive(call& c);
void post_attestation_restore(call& c);
/// Of both: the attestation as it is now.
void replay_change_attestation(call& c, const idempotency::found_record&);

} // namespace credence::http::v2
