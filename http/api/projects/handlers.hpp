#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Handlers of projects, of votes on them and of their listings. Who may call them stands in routes.hpp;
/// their contracts in the spec, under the path of each. One called `replay_…` answers a request
/// whose effect is there but was never answered.
namespace credence::http::v2 {

/// POST /api/v2/projects/{projectId}/votes
void post_project_vote(call& c);
void replay_post_project_vote(call& c, const idempotency::found_record&);
/// GET /api/v2/projects/votes/balance
void get_vote_balance(call& c);
/// POST /api/v2/projects/votes/reallocate
void post_reallocate(call& c);
void replay_post_reallocate(call& c, const idempotency::found_record& done);
/// GET /api/v2/projects/votes/bulk-totals
void get_bulk_totals(call& c);
/// GET /api/v2/projects/{projectId}/voters
void get_voters(call& c);
/// GET /api/v2/projects/{projectId}/chart
void get_chart(call& c);
/// POST /api/v2/projects/create
void post_project(call& c);
void replay_post_project(call& c, const idempotency::found_record& done);
/// PATCH /api/v2/projects/{projectId}
void patch_project(call& c);
/// POST /api/v2/projects/{projectId}/archive and /restore
void post_project_archive(call& c);
void post_project_restore(call& c);
/// Of all that change a project: as it is now.
void replay_change_project(call& c, const idempotency::found_record&);
/// GET /api/v2/projects
void get_projects(call& c);
/// GET /api/v2/projects/suggested: promoted ones first, then in the order of the board.
void get_suggested_projects(call& c);
/// GET /api/v2/projects/{projectId}
void get_project(call& c);
/// GET /api/v2/projects/username/{username}
void get_project_by_username(call& c);
/// GET /api/v2/projects/{projectId}/details
void get_project_details(call& c);
/// GET /api/v2/projects/{projectId}/team
void get_project_team(call& c);
/// GET /api/v2/internal/listings
void get_listings(call& c);
/// GET /api/v2/internal/listings/{username}
void get_listing(call& c);

} // namespace credence::http::v2
