#pragma once

#include "http/admin/declare.hpp"
#include "http/admin/logs/handlers.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array log_routes{
  viewer_watches("/admin/api/v1/logs", get_logs, "logs"),
  viewer_reads("/admin/api/v1/logs/level", get_log_level),
  operator_writes("/admin/api/v1/logs/level", put_log_level, method::put),
  operator_writes("/admin/api/v1/logs/level", delete_log_level, method::del),
};

} // namespace credence::http::admin::declare
