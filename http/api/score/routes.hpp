#pragma once

#include "http/api/declare.hpp"
#include "http/api/score/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array score_routes{
  reads("/api/v1/score/{userkey}", v1::get_score_breakdown),
  reads("/api/v2/score/breakdown", v2::get_score_breakdown),
  reads("/api/v1/score/address", v1::get_score_of_address),
  reads("/api/v1/score/userkey", v1::get_score_of_userkey),
  reads("/api/v1/score/{userkey}/history", v1::get_score_history),
  asks("/api/v1/score/bulk", v1::post_scores),
  asks("/api/v1/score/simulate", v1::post_score_simulation),
  reads("/api/v2/score/status", v2::get_score_status),
  reads("/api/v2/score/history", v2::get_score_history),
  reads("/api/v2/score/updates", v2::get_score_updates),
};

} // namespace credence::http::declare
