#pragma once

#include "http/admin/declare.hpp"
#include "http/admin/integrity/handlers.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array integrity_routes{
  viewer_watches("/admin/api/v1/integrity", get_integrity, "integrity"),
  operator_writes("/admin/api/v1/integrity", post_integrity),
  operator_writes("/admin/api/v1/integrity", delete_integrity, method::del),
};

} // namespace credence::http::admin::declare
