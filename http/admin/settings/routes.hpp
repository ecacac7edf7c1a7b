#pragma once

#include "http/admin/declare.hpp"
#include "http/admin/settings/handlers.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array setting_routes{
  viewer_reads("/admin/api/v1/settings", get_settings),
};

} // namespace credence::http::admin::declare
