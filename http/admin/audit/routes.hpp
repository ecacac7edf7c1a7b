#pragma once

#include "http/admin/audit/handlers.hpp"
#include "http/admin/declare.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array audit_routes{
  viewer_watches("/admin/api/v1/audit", get_audit, "audit"),
};

} // namespace credence::http::admin::declare
