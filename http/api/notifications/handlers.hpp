#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// What others did to a caller, made of their records.
namespace credence::http::v2 {

/// GET /api/v2/notifications/me: a page, the newest first.
void get_notifications(call& c);
/// GET /api/v2/notifications/stats/me: `{total, unread, readTo}`
void get_notification_stats(call& c);
/// POST /api/v2/notifications/me/mark-as-read: all that there is so far is read.
void post_notifications_read(call& c);
void replay_post_notifications_read(call& c, const idempotency::found_record& done);

} // namespace credence::http::v2
