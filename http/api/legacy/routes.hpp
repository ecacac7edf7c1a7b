#pragma once

#include "http/api/declare.hpp"
#include "http/api/legacy/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array legacy_routes{
  reads("/api/v1/search", v1::get_search),
  reads("/api/v1/addresses/{userkey}", v1::get_addresses),
  reads("/api/v1/fees", v1::get_fees),
  reads("/api/v1/profiles/stats", v1::get_profile_stats),
  reads("/api/v1/profiles/xp-leaderboard", v1::get_xp_leaderboard),
  asks_by_caller("/api/v1/reply/summary", v1::post_reply_summary),

  // Gone
  reads("/api/v1/activities", v1::get_removed_activities),
  asks("/api/v1/replies", v1::post_removed_reply),
  reads("/api/v1/reviews/count", v1::get_removed_review_count),
  asks("/api/v1/reviews", v1::post_removed_review),
  reads("/api/v1/profiles/recent", v1::get_removed_recent_profiles),
  asks("/api/v1/invitations", v1::post_removed_invitation),
  reads("/api/v1/invitations/pending/{address}", v1::get_removed_pending_invitations),
  reads("/api/v1/profiles", v1::get_removed_profiles),
};

} // namespace credence::http::declare
