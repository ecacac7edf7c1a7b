#include "http/routes.hpp"

#include "http/v1/handlers.hpp"
#include "http/v1/market_handlers.hpp"
#include "http/v2/handlers.hpp"
#include "http/v2/identity_handlers.hpp"
#include "http/v2/market_handlers.hpp"
#include "http/v2/people_handlers.hpp"
#include "http/v2/slash_handlers.hpp"

#include <array>

namespace credence::http {

namespace {

/// A POST that asks and changes nothing.
constexpr route asks(std::string_view path, handler run) {
  return {method::post, path, access::open, scope::read, run, needs::data, quota_class::read, {}, effect::none};
}

/// What everybody may read, and a caller sees more of.
constexpr route shows_more_to_callers(std::string_view path, handler run) {
  return {method::get, path, access::open, scope::read, run, needs::data, quota_class::derived, {}, effect::of_verb, nullptr, false, true};
}

constexpr std::array table{
  // Internal endpoints
  route{method::get, "/api/v2/internal/users/embedded-wallet/{address}", access::open, scope::read, v2::get_embedded_wallet_bundle},
  route{method::get, "/api/v2/internal/users/{userkey}", access::open, scope::read, v2::get_user_bundle},
  shows_more_to_callers("/api/v2/internal/listings", v2::get_listings),
  shows_more_to_callers("/api/v2/internal/listings/{username}", v2::get_listing),

  // Project votes
  route{method::post, "/api/v2/projects/{projectId}/votes", access::bearer, scope::vote, v2::post_project_vote, needs::writing,
        quota_class::derived, {}, effect::of_verb, v2::again_post_project_vote},
  route{method::get, "/api/v2/projects/votes/balance", access::bearer, scope::read, v2::get_vote_balance},
  route{method::get, "/api/v2/projects/{projectId}/voters", access::open, scope::read, v2::get_voters},
  route{method::post, "/api/v2/projects/votes/reallocate", access::admin, scope::none, v2::post_reallocate, needs::writing,
        quota_class::derived, {}, effect::audited, v2::again_post_reallocate},
  route{method::get, "/api/v2/projects/votes/bulk-totals", access::open, scope::read, v2::get_bulk_totals},
  route{method::get, "/api/v2/projects/{projectId}/chart", access::open, scope::read, v2::get_chart},

  // API keys
  route{method::post, "/api/v2/api-keys", access::open, scope::none, v2::post_api_key, needs::writing, quota_class::wallet, {}, effect::audited},
  route{method::get, "/api/v2/api-keys", access::bearer, scope::keys, v2::get_api_keys},
  route{method::del, "/api/v2/api-keys/{id}", access::bearer, scope::keys, v2::delete_api_key, needs::writing,
        quota_class::derived, {}, effect::audited, v2::again_delete_api_key},

  // Sessions
  route{method::get, "/api/v2/auth/nonce", access::open, scope::none, v2::get_nonce, needs::nothing, quota_class::wallet},
  route{method::post, "/api/v2/auth/login", access::open, scope::none, v2::post_login, needs::writing, quota_class::wallet, {}, effect::audited},
  route{method::post, "/api/v2/auth/exchange", access::bearer, scope::none, v2::post_exchange, needs::writing,
        quota_class::wallet, {}, effect::audited, v2::again_post_exchange},
  route{method::post, "/api/v2/auth/refresh", access::open, scope::none, v2::post_refresh, needs::writing, quota_class::wallet, {}, effect::audited},
  route{method::post, "/api/v2/auth/logout", access::open, scope::none, v2::post_logout, needs::writing, quota_class::wallet, {}, effect::audited},

  route{method::get, "/api/v2/auth/sessions", access::bearer, scope::none, v2::get_sessions},
  route{method::del, "/api/v2/auth/sessions", access::bearer, scope::none, v2::delete_other_sessions, needs::writing,
        quota_class::derived, {}, effect::audited, v2::again_delete_session},
  route{method::del, "/api/v2/auth/sessions/{id}", access::bearer, scope::none, v2::delete_session, needs::writing,
        quota_class::derived, {}, effect::audited, v2::again_delete_session},

  // XP tips
  route{method::post, "/api/v2/xp/tip", access::bearer, scope::tip, v2::post_tip, needs::writing,
        quota_class::derived, {}, effect::of_verb, v2::again_post_tip},
  route{method::get, "/api/v2/xp/tips/sent", access::bearer, scope::read, v2::get_tips_sent},
  route{method::get, "/api/v2/xp/tips/received", access::bearer, scope::read, v2::get_tips_received},
  route{method::get, "/api/v2/xp/tips/stats", access::bearer, scope::read, v2::get_tip_stats},

  // Markets and money
  route{method::post, "/api/v2/markets", access::bearer, scope::trade, v2::post_market, needs::writing,
        quota_class::wallet, {}, effect::of_verb, v2::again_post_market},
  asks("/api/v2/markets/{profileId}/quote", v2::post_quote),
  route{method::post, "/api/v2/markets/{profileId}/trades", access::bearer, scope::trade, v2::post_trade, needs::writing,
        quota_class::derived, {}, effect::of_verb, v2::again_post_trade, true},
  route{method::get, "/api/v2/markets", access::open, scope::read, v2::get_markets},
  route{method::get, "/api/v2/markets/configs", access::open, scope::read, v2::get_market_configs},
  route{method::get, "/api/v2/markets/{profileId}", access::open, scope::read, v2::get_market},
  route{method::get, "/api/v2/markets/me/balance", access::bearer, scope::read, v2::get_market_balance},
  route{method::post, "/api/v2/markets/deposits", access::admin, scope::none, v2::post_deposit, needs::writing,
        quota_class::derived, {}, effect::audited, v2::again_post_transfer},
  route{method::post, "/api/v2/markets/withdrawals", access::admin, scope::none, v2::post_withdrawal, needs::writing,
        quota_class::derived, {}, effect::audited, v2::again_post_transfer},

  // Markets, legacy
  route{method::get, "/api/v1/markets/search", access::open, scope::read, v1::get_market_search},
  asks("/api/v1/markets/bulk", v1::post_markets_bulk),
  asks("/api/v1/markets/news", v1::post_market_news),
  route{method::get, "/api/v1/markets/{profileId}", access::open, scope::read, v1::get_market},
  route{method::get, "/api/v1/markets/{profileId}/price/history", access::open, scope::read, v1::get_price_history},
  route{method::get, "/api/v1/markets/{profileId}/tx/history", access::open, scope::read, v1::get_market_trades},
  route{method::get, "/api/v1/markets/{profileId}/holders", access::open, scope::read, v1::get_holders},
  route{method::get, "/api/v1/markets/activity/{address}", access::open, scope::read, v1::get_activity},
  route{method::get, "/api/v1/markets/holdings/{address}", access::open, scope::read, v1::get_holdings},
  route{method::get, "/api/v1/markets/holdings/{address}/total", access::open, scope::read, v1::get_holdings_total},
  route{method::get, "/api/v1/markets/volume/{address}", access::open, scope::read, v1::get_volume},
  route{method::get, "/api/v1/markets/leaderboard/xp", access::open, scope::read, v1::get_xp_board},
  route{method::get, "/api/v1/markets/leaderboard/profit", access::open, scope::read, v1::get_profit_board},

  // Lookups
  route{method::get, "/api/v2/score/address", access::open, scope::read, v2::get_score_of_address},
  route{method::get, "/api/v2/score/userkey", access::open, scope::read, v2::get_score_of_userkey},
  asks("/api/v2/score/addresses", v2::post_scores_of_addresses),
  asks("/api/v2/score/userkeys", v2::post_scores_of_userkeys),
  route{method::get, "/api/v2/user/{userId}", access::open, scope::read, v2::get_user},
  route{method::get, "/api/v2/user/by/address/{address}", access::open, scope::read, v2::get_user_by_address},
  route{method::get, "/api/v2/user/by/x/{accountIdOrUsername}", access::open, scope::read, v2::get_user_by_x},
  route{method::get, "/api/v2/user/by/profile-id/{profileId}", access::open, scope::read, v2::get_user_by_profile},
  route{method::get, "/api/v2/user/by/username/{username}", access::open, scope::read, v2::get_user_by_username},
  route{method::get, "/api/v2/user/by/discord/{id}", access::open, scope::read, v2::get_user_by_discord},
  route{method::get, "/api/v2/user/by/telegram/{id}", access::open, scope::read, v2::get_user_by_telegram},
  route{method::get, "/api/v2/user/by/farcaster/{id}", access::open, scope::read, v2::get_user_by_farcaster},
  asks("/api/v2/users/by/address", v2::post_users_by_address),
  asks("/api/v2/users/by/x", v2::post_users_by_x),
  asks("/api/v2/users/by/profile-id", v2::post_users_by_profile),
  asks("/api/v2/users/by/ids", v2::post_users_by_id),
  route{method::get, "/api/v2/users/search", access::open, scope::read, v2::get_user_search},
  route{method::get, "/api/v2/xp/user/{userkey}", access::open, scope::read, v2::get_xp_of_userkey},

  // Slashes
  route{method::get, "/api/v1/slashes", access::open, scope::read, v1::get_slashes},
  shows_more_to_callers("/api/v1/slashes/{id}/roles", v1::get_slash_roles),
  route{method::post, "/api/v2/slashes", access::admin, scope::none, v2::post_slash, needs::writing,
        quota_class::derived, {}, effect::audited, v2::again_post_slash},
  route{method::post, "/api/v2/slashes/{id}/votes", access::bearer, scope::vote, v2::post_slash_vote, needs::writing,
        quota_class::derived, {}, effect::of_verb, v2::again_post_slash_vote},
  route{method::post, "/api/v2/slashes/{id}/cancel", access::admin, scope::none, v2::post_slash_cancel, needs::writing,
        quota_class::derived, {}, effect::audited, v2::again_post_slash_cancel},

  // System
  route{method::get, "/api/v2/healthcheck", access::open, scope::none, v2::get_healthcheck, needs::nothing},
};

} // namespace

std::span<const route> routes() {
  return table;
}

} // namespace credence::http
