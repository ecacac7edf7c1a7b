#pragma once

#include "http/call.hpp"

/// Handlers of the v2 interface: decode, ask, encode. Who may call them stands in
/// http/routes.cpp; their contracts in the spec, under the path of each.
namespace credence::http::v2 {

/// POST /api/v2/projects/{projectId}/votes
void post_project_vote(call& c);
/// The answer to a vote that is there already, but was never answered.
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
/// GET /api/v2/healthcheck
void get_healthcheck(call& c);

} // namespace credence::http::v2
