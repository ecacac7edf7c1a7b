#pragma once

#include "http/admin/declare.hpp"
#include "http/admin/session/handlers.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array session_routes{
  open_reads("/admin/api/v1/sign-in", get_sign_in),
  open_writes("/admin/api/v1/sign-in", post_sign_in),
  open_writes("/admin/api/v1/sign-in/link", post_sign_in_link),
  viewer_reads("/admin/api/v1/session", get_session),
  viewer_writes("/admin/api/v1/session", delete_session, method::del),
};

} // namespace credence::http::admin::declare
