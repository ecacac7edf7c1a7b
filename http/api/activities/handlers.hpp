#pragma once

#include "http/call/call.hpp"

/// Feeds of activities. They show a caller in which discussions it takes part.
namespace credence::http::v2 {

/// GET /api/v2/activities/{type}/{id}
void get_activity_of_type(call& c);
/// GET /api/v2/activities/userkey: all that somebody has given and received.
void get_activities_of_userkey(call& c);
/// POST /api/v2/activities/profile/all, /given, /received: `{userkey, …}`
void post_activities_all(call& c);
void post_activities_given(call& c);
void post_activities_received(call& c);
/// POST /api/v2/activities/feed: the same of everybody.
void post_activity_feed(call& c);
/// POST /api/v2/activities/bulk: `{review: [id, …], …}`
void post_activities_bulk(call& c);
/// POST /api/v2/activities/project: `{projectId, …}`: what others said of the project's user.
void post_activities_of_project(call& c);
/// POST /api/v2/activities/notifications: what others said of the caller.
void post_activities_of_caller(call& c);
/// GET /api/v2/activities/{type}/tx/{hash}: they are not found by their transaction; 404 always.
void get_activity_of_transaction(call& c);

} // namespace credence::http::v2
