#pragma once

#include "http/api/declare.hpp"
#include "http/api/slashes/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array slash_routes{
  reads("/api/v1/slashes", v1::get_slashes),
  reads_by_caller("/api/v1/slashes/{id}/roles", v1::get_slash_roles),
  reads("/api/v2/slashes", v2::get_slashes),
  admin_records("/api/v2/slashes", v2::post_slash, v2::replay_post_slash),
  a_day(writes("/api/v2/slashes/{id}/votes", scope::vote, v2::post_slash_vote, v2::replay_post_slash_vote,
               {.dry_runs = true}),
        daily_act::by_rules),
  admin_records("/api/v2/slashes/{id}/cancel", v2::post_slash_cancel, v2::replay_post_slash_cancel),
};

} // namespace credence::http::declare
