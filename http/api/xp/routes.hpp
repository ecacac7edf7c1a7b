#pragma once

#include "http/api/declare.hpp"
#include "http/api/xp/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array xp_routes{
  reads("/api/v2/xp/seasons", v2::get_xp_seasons),
  reads("/api/v2/xp/season/{seasonId}/weeks", v2::get_xp_season_weeks),
  reads("/api/v2/xp/user/{userkey}/season/{seasonId}", v2::get_xp_of_season),
  reads("/api/v2/xp/user/{userkey}/season/{seasonId}/weekly", v2::get_xp_by_week),
  reads("/api/v2/xp/user/{userkey}/leaderboard-rank", v2::get_xp_rank),
  reads_by_caller("/api/v2/xp/history", v2::get_xp_history),
};

} // namespace credence::http::declare
