#pragma once

#include "http/api/declare.hpp"
#include "http/api/tips/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array tip_routes{
  a_day(writes("/api/v2/xp/tip", scope::tip, v2::post_tip, v2::replay_post_tip, {.dry_runs = true}), daily_act::tips),
  reads_own("/api/v2/xp/tips/sent", v2::get_tips_sent),
  reads_own("/api/v2/xp/tips/received", v2::get_tips_received),
  reads("/api/v2/xp/tips", v2::get_tips),
  reads_by_caller("/api/v2/xp/tips/stats", v2::get_tip_stats),
};

} // namespace credence::http::declare
