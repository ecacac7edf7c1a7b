#include "http/routes.hpp"

#include "http/v2/handlers.hpp"

#include <array>

namespace credence::http {

namespace {

constexpr std::array table{
  // Internal endpoints
  route{method::get, "/api/v2/internal/listings", access::open, v2::get_listings},
  route{method::get, "/api/v2/internal/listings/{username}", access::open, v2::get_listing},

  // Project votes
  route{method::post, "/api/v2/projects/{projectId}/votes", access::bearer, v2::post_project_vote, needs::writing},
  route{method::get, "/api/v2/projects/votes/balance", access::bearer, v2::get_vote_balance},
  route{method::get, "/api/v2/projects/{projectId}/voters", access::open, v2::get_voters},
  route{method::post, "/api/v2/projects/votes/reallocate", access::admin, v2::post_reallocate, needs::writing},
  route{method::get, "/api/v2/projects/votes/bulk-totals", access::open, v2::get_bulk_totals},
  route{method::get, "/api/v2/projects/{projectId}/chart", access::open, v2::get_chart},

  // System
  route{method::get, "/api/v2/healthcheck", access::open, v2::get_healthcheck, needs::nothing},
};

} // namespace

std::span<const route> routes() {
  return table;
}

} // namespace credence::http
