#pragma once

#include "http/api/declare.hpp"
#include "http/api/sessions/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array session_routes{
  reads_always("/api/v2/auth/nonce", v2::get_nonce, quota_class::wallet),
  a_day(signs("/api/v2/auth/login", v2::post_login, idempotency_keeper::by_handler), daily_act::sessions),
  a_day(by_partners_too(writes("/api/v2/auth/exchange", scope::none, v2::post_exchange, v2::replay_post_exchange,
                               {quota_class::wallet, effect::audited})),
        daily_act::sessions),
  a_day(signs("/api/v2/auth/refresh", v2::post_refresh, idempotency_keeper::by_rules), daily_act::by_rules),
  a_day(by_partners_too(signs("/api/v2/auth/logout", v2::post_logout, idempotency_keeper::by_rules)),
        daily_act::by_rules),

  by_owner(reads_own("/api/v2/auth/sessions", v2::get_sessions)),
  a_day(by_owner(deletes("/api/v2/auth/sessions", scope::none, v2::delete_other_sessions, v2::replay_delete_session)),
        daily_act::by_rules),
  a_day(by_owner(deletes("/api/v2/auth/sessions/{id}", scope::none, v2::delete_session, v2::replay_delete_session)),
        daily_act::by_rules),
};

} // namespace credence::http::declare
