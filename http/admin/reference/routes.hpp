#pragma once

#include "http/admin/declare.hpp"
#include "http/admin/reference/handlers.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array reference_routes{
  viewer_reads("/admin/api/v1/openapi.json", get_reference),
};

} // namespace credence::http::admin::declare
