#pragma once

#include "http/api/declare.hpp"
#include "http/api/verifications/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array verification_routes{
  reads("/api/v2/human-verification/{userkey}", v2::get_human_verification),
  admin_records("/api/v2/human-verification/verify", v2::post_human_verify, v2::replay_decide_verification),
  admin_records("/api/v2/human-verification/revoke", v2::post_human_revoke, v2::replay_decide_verification),
};

} // namespace credence::http::declare
