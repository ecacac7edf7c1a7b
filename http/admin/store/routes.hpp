#pragma once

#include "http/admin/declare.hpp"
#include "http/admin/store/handlers.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array store_routes{
  viewer_watches("/admin/api/v1/store", get_store, "store"),
  operator_writes("/admin/api/v1/store/intake", put_intake, method::put),
  operator_writes("/admin/api/v1/store/verifications", post_verification),
  viewer_watches("/admin/api/v1/store/verifications/latest", get_verification, "verification"),
  operator_writes("/admin/api/v1/store/verifications/latest", delete_verification, method::del),
};

} // namespace credence::http::admin::declare
