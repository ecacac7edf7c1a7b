#pragma once

#include "http/api/declare.hpp"
#include "http/api/score/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array score_routes{
  reads("/api/v1/score/{userkey}", v1::get_score_breakdown), reads("/api/v2/score/breakdown", v2::get_score_breakdown),
  reads("/api/v2/score/status", v2::get_score_status),       reads("/api/v2/score/history", v2::get_score_history),
  reads("/api/v2/score/updates", v2::get_score_updates),
};

} // namespace credence::http::declare
