#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Reviews. Those called `replay_…` answer a request whose effect is there but was never answered; with `dryRun=true`
/// a write is decided and answered without effect.
namespace credence::http::v2 {

/// POST /api/v2/reviews/create: `{subject, score, comment, metadata?}`
void post_review(call& c);
void replay_post_review(call& c, const idempotency::found_record& done);
/// GET /api/v2/reviews/{id}
void get_review(call& c);
/// PATCH /api/v2/reviews/{id}: `{comment?, metadata?}`
void patch_review(call& c);
/// POST /api/v2/reviews/{id}/archive and /restore
void post_review_archive(call& c);
void post_review_restore(call& c);
/// Of all that change a review: as it is now.
void replay_change_review(call& c, const idempotency::found_record&);

/// GET /api/v2/reviews/latest/between and /count/between: what one has written of another.
void get_latest_between(call& c);
void get_count_between(call& c);

} // namespace credence::http::v2
