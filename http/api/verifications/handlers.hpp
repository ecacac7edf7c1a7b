#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Human verification: whether somebody has made sure of the person behind a profile. A write answers what
/// `GET /api/v2/human-verification/{userkey}` does; with `dryRun=true` it is decided, and answers `{"ok":true}`.
namespace credence::http::v2 {

/// GET /api/v2/human-verification/{userkey}
void get_human_verification(call& c);
/// POST /api/v2/human-verification/verify: `{profileId, verificationMethod?, comment}`
void post_human_verify(call& c);
/// POST /api/v2/human-verification/revoke: `{profileId, comment}`
void post_human_revoke(call& c);
/// Of both: how it stands now.
void replay_decide_verification(call& c, const idempotency::found_record& done);

} // namespace credence::http::v2
