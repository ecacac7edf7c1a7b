#pragma once

#include "http/admin/declare.hpp"
#include "http/admin/overview/handlers.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array overview_routes{
  viewer_watches("/admin/api/v1/overview", get_overview, "overview"),
  viewer_reads("/admin/api/v1/overview/history", get_overview_history),
};

} // namespace credence::http::admin::declare
