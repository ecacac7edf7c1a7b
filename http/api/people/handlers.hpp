#pragma once

#include "http/call/call.hpp"

/// Handlers that read about people. Who may call them stands in routes.hpp; what they take in
/// http/call/userkey.hpp and questions.hpp.
namespace credence::http::v2 {

/// GET /api/v2/internal/users/{userkey}: the bundle, or null.
void get_user_bundle(call& c);
/// GET /api/v2/internal/users/embedded-wallet/{address}: the bundle, or null.
void get_embedded_wallet_bundle(call& c);

/// GET /api/v2/score/address, /score/userkey: of anybody unknown the neutral score.
void get_score_of_address(call& c);
void get_score_of_userkey(call& c);
/// GET /api/v2/score/userId, POST /api/v2/score/userIds: the same by the ids of users.
void get_score_of_user(call& c);
void post_scores_of_users(call& c);
/// POST /api/v2/score/addresses, /score/userkeys: by the text of each key as it was given.
void post_scores_of_addresses(call& c);
void post_scores_of_userkeys(call& c);

/// GET /api/v2/xp/user/{userkey}: a bare number; 0 for anybody unknown.
void get_xp_of_userkey(call& c);

/// GET /api/v2/user/{userId} and /user/by/…/{…}: the User, or 404.
void get_user(call& c);
void get_user_by_address(call& c);
void get_user_by_x(call& c);
void get_user_by_profile(call& c);
void get_user_by_username(call& c);
void get_user_by_discord(call& c);
void get_user_by_telegram(call& c);
void get_user_by_farcaster(call& c);
void get_user_by_farcaster_name(call& c);
void get_user_by_managed_wallet(call& c);

/// POST /api/v2/users/by/…: the Users that are there, each once, in the order asked.
void post_users_by_address(call& c);
void post_users_by_x(call& c);
void post_users_by_profile(call& c);
void post_users_by_id(call& c);
void post_users_by_discord(call& c);
void post_users_by_farcaster(call& c);
void post_users_by_telegram(call& c);
/// POST /api/v2/users/by/farcaster/usernames: `{users: [{user, username}], notFoundUsernames, errorUsernames}`
void post_users_by_farcaster_name(call& c);

/// GET /api/v2/users/search
void get_user_search(call& c);

} // namespace credence::http::v2
