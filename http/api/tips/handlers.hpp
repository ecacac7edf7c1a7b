#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Handlers of tips. Who may call them stands in routes.hpp;
/// those called `replay_…` answer a request whose effect is there but was
/// never answered.
namespace credence::http::v2 {

/// POST /api/v2/xp/tip
void post_tip(call& c);
void replay_post_tip(call& c, const idempotency::found_record& done);
/// GET /api/v2/xp/tips: everybody's, without messages.
void get_tips(call& c);
/// GET /api/v2/xp/tips/sent, /received; /stats of whom `userkey` names, or of the caller.
void get_tips_sent(call& c);
void get_tips_received(call& c);
void get_tip_stats(call& c);

} // namespace credence::http::v2
