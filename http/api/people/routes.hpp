#pragma once

#include "http/api/declare.hpp"
#include "http/api/people/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array people_routes{
  // Bundles
  reads("/api/v2/internal/users/embedded-wallet/{address}", v2::get_embedded_wallet_bundle),
  reads("/api/v2/internal/users/{userkey}", v2::get_user_bundle),

  // Scores and XP
  reads("/api/v2/score/address", v2::get_score_of_address),
  reads("/api/v2/score/userkey", v2::get_score_of_userkey),
  reads("/api/v2/score/userId", v2::get_score_of_user),
  asks("/api/v2/score/userIds", v2::post_scores_of_users),
  asks("/api/v2/score/addresses", v2::post_scores_of_addresses),
  asks("/api/v2/score/userkeys", v2::post_scores_of_userkeys),
  reads("/api/v2/xp/user/{userkey}", v2::get_xp_of_userkey),

  // Users
  reads("/api/v2/user/{userId}", v2::get_user),
  reads("/api/v2/user/by/address/{address}", v2::get_user_by_address),
  reads("/api/v2/user/by/x/{accountIdOrUsername}", v2::get_user_by_x),
  reads("/api/v2/user/by/profile-id/{profileId}", v2::get_user_by_profile),
  reads("/api/v2/user/by/username/{username}", v2::get_user_by_username),
  reads("/api/v2/user/by/discord/{id}", v2::get_user_by_discord),
  reads("/api/v2/user/by/telegram/{id}", v2::get_user_by_telegram),
  reads("/api/v2/user/by/farcaster/{id}", v2::get_user_by_farcaster),
  reads("/api/v2/user/by/farcaster/username/{username}", v2::get_user_by_farcaster_name),
  reads("/api/v2/user/by/managed-wallet/{address}", v2::get_user_by_managed_wallet),
  asks("/api/v2/users/by/address", v2::post_users_by_address),
  asks("/api/v2/users/by/x", v2::post_users_by_x),
  asks("/api/v2/users/by/profile-id", v2::post_users_by_profile),
  asks("/api/v2/users/by/ids", v2::post_users_by_id),
  asks("/api/v2/users/by/discord", v2::post_users_by_discord),
  asks("/api/v2/users/by/farcaster", v2::post_users_by_farcaster),
  asks("/api/v2/users/by/farcaster/usernames", v2::post_users_by_farcaster_name),
  asks("/api/v2/users/by/telegram", v2::post_users_by_telegram),
  reads("/api/v2/users/search", v2::get_user_search),
};

} // namespace credence::http::declare
