#pragma once

#include "http/api/declare.hpp"
#include "http/api/health/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array health_routes{
  reads_always("/api/v2/healthcheck", v2::get_healthcheck),
  reads_own("/api/v2/healthcheck/authenticated", v2::get_healthcheck_authenticated),
  reads("/api/v2/healthcheck/always-fail", v2::get_healthcheck_always_fail),
};

} // namespace credence::http::declare
