#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Slashes as they are read. Successes are `{ok: true, data}`; who may call stands in routes.hpp.
namespace credence::http::v1 {

/// GET /api/v1/slashes: those for score and for money
void get_slashes(call& c);
/// GET /api/v1/slashes/{id}/roles
void get_slash_roles(call& c);

} // namespace credence::http::v1

/// Slashes of all types, and handlers that change them. Those called `replay_…` answer a request whose effect is there
/// but was never answered.
namespace credence::http::v2 {

/// GET /api/v2/slashes: a page, with the parameters of version 1
void get_slashes(call& c);

/// POST /api/v2/slashes: `{authorProfileId, subject, slashType, amount, duration?, comment, metadata?}`
void post_slash(call& c);
void replay_post_slash(call& c, const idempotency::found_record& done);
/// POST /api/v2/slashes/{id}/votes: `{"vote": "slash" | "defend"}`
void post_slash_vote(call& c);
void replay_post_slash_vote(call& c, const idempotency::found_record& done);
/// POST /api/v2/slashes/{id}/cancel
void post_slash_cancel(call& c);
void replay_post_slash_cancel(call& c, const idempotency::found_record&);

} // namespace credence::http::v2
