#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Handlers of votes on projects and of their listings. Who may call them stands in routes.hpp;
/// their contracts in the spec, under the path of each. One called `again_…` answers a request
/// whose effect is there but was never answered.
namespace credence::http::v2 {

/// POST /api/v2/projects/{projectId}/votes
void post_project_vote(call& c);
void again_post_project_vote(call& c, const idempotency::found_record&);
/// GET /api/v2/projects/votes/balance
void get_vote_balance(call& c);
/// POST /api/v2/projects/votes/reallocate
void post_reallocate(call& c);
void again_post_reallocate(call& c, const idempotency::found_record& done);
/// GET /api/v2/projects/votes/bulk-totals
void get_bulk_totals(call& c);
/// GET /api/v2/projects/{projectId}/voters
void get_voters(call& c);
/// GET /api/v2/projects/{projectId}/chart
void get_chart(call& c);
/// GET /api/v2/internal/listings
void get_listings(call& c);
/// GET /api/v2/internal/listings/{username}
void get_listing(call& c);

} // namespace credence::http::v2
