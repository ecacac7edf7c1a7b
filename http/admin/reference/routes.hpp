#pragma once

#include "http/admin/declare.hpp"
#include "http/admin/reference/handlers.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array reference_routes{
  viewer_reads("/admin/api/v1/openapi.json", get_reference),
  viewer_reads_file("/admin/api/v1/manual", get_manual),
};

} // namespace credence::http::admin::declare
