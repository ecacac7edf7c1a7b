#pragma once

#include "http/admin/declare.hpp"
#include "http/admin/live/handlers.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array live_routes{
  viewer_reads("/admin/api/v1/events", get_events),
};

} // namespace credence::http::admin::declare
