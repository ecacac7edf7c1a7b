#pragma once

#include "http/admin/declare.hpp"
#include "http/admin/periods/handlers.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array period_routes{
  viewer_watches("/admin/api/v1/periods", get_periods, "periods"),
  admin_writes_or_tries("/admin/api/v1/periods/advance", post_period_advance),
};

} // namespace credence::http::admin::declare
