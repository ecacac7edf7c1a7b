#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// People, projects, markets and slashes, as operators see and change them.
namespace credence::http::admin {

/// GET /admin/api/v1/people: found by a name, an id or an address
void get_people(call& c);
/// GET /admin/api/v1/people/{profileId}
void get_person(call& c);
/// PUT /admin/api/v1/people/{profileId}/api-access: lets a profile have API keys, or not
void put_api_access(call& c);
/// POST /admin/api/v1/people/{profileId}/credit: puts money on a profile's balance
void post_credit(call& c);
void replay_credit(call& c, const idempotency::found_record& done);
/// POST /admin/api/v1/people/{profileId}/xp-grants: gives a profile XP
void post_grant(call& c);
void replay_grant(call& c, const idempotency::found_record& done);
/// POST /admin/api/v1/people/{profileId}/merge: makes a person without a profile a part of a profile's user
void post_merge(call& c);

/// GET /admin/api/v1/projects: found by a name or an id
void get_projects(call& c);
/// GET /admin/api/v1/projects/{projectId}
void get_project(call& c);
/// GET /admin/api/v1/projects/{projectId}/chart
void get_project_chart(call& c);
/// POST /admin/api/v1/projects
void post_project(call& c);
/// POST /admin/api/v1/projects/{projectId}/archive and /restore
void post_project_archive(call& c);
void post_project_restore(call& c);

/// GET /admin/api/v1/markets: found by a name or an id
void get_markets(call& c);
/// GET /admin/api/v1/markets/{profileId}
void get_market(call& c);
/// GET /admin/api/v1/markets/{profileId}/chart: its prices over time
void get_market_chart(call& c);
/// PUT /admin/api/v1/markets/{profileId}/frozen: stops all trades on a market, or lets them go on
void put_market_frozen(call& c);

/// GET /admin/api/v1/slashes: the newest first
void get_slashes(call& c);
/// POST /admin/api/v1/slashes/{slashId}/cancel
void post_slash_cancel(call& c);

} // namespace credence::http::admin
