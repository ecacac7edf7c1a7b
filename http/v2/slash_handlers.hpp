#pragma once

#include "http/call.hpp"

/// Handlers that change slashes; they are read below /api/v1. Who may call them stands in
/// http/routes.cpp. Those called `again_…` answer a request whose effect is there but was
/// never answered.
namespace credence::http::v2 {

/// POST /api/v2/slashes: `{authorProfileId, subject, slashType, amount, duration?, comment, metadata?}`
void post_slash(call& c);
void again_post_slash(call& c, const idempotency::found_record& done);
/// POST /api/v2/slashes/{id}/votes: `{"vote": "slash" | "defend"}`
void post_slash_vote(call& c);
void again_post_slash_vote(call& c, const idempotency::found_record& done);
/// POST /api/v2/slashes/{id}/cancel
void post_slash_cancel(call& c);
void again_post_slash_cancel(call& c, const idempotency::found_record&);

} // namespace credence::http::v2
