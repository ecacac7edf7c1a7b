#pragma once

#include "http/call/call.hpp"

/// What is left of version 1 beside markets, slashes and scores; all successes are `{ok: true, data}`.
namespace credence::http::v1 {

/// GET /api/v1/search
void get_search(call& c);
/// GET /api/v1/addresses/{userkey}: `{primaryAddress, allAddresses}`
void get_addresses(call& c);
/// GET /api/v1/fees: those of vouches, as `"0n"`.
void get_fees(call& c);
/// GET /api/v1/profiles/stats
void get_profile_stats(call& c);
/// GET /api/v1/profiles/xp-leaderboard
void get_xp_leaderboard(call& c);
/// POST /api/v1/reply/summary: `{review: [id, …], …}`
void post_reply_summary(call& c);

} // namespace credence::http::v1

/// Endpoints of version 1 that are gone. Each answers 410 `ENDPOINT_REMOVED` and names its successor.
namespace credence::http::v1 {

/// GET /api/v1/activities
void get_removed_activities(call& c);
/// POST /api/v1/replies
void post_removed_reply(call& c);
/// GET /api/v1/reviews/count
void get_removed_review_count(call& c);
/// POST /api/v1/reviews
void post_removed_review(call& c);
/// GET /api/v1/profiles/recent
void get_removed_recent_profiles(call& c);
/// POST /api/v1/invitations
void post_removed_invitation(call& c);
/// GET /api/v1/invitations/pending/{address}
void get_removed_pending_invitations(call& c);
/// GET /api/v1/profiles
void get_removed_profiles(call& c);

} // namespace credence::http::v1
