#pragma once

#include "http/api/declare.hpp"
#include "http/api/keys/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array key_routes{
  a_day(signs("/api/v2/api-keys", v2::post_api_key, idempotency_keeper::by_handler), daily_act::keys),
  reads_own("/api/v2/api-keys", v2::get_api_keys, scope::keys),
  a_day(deletes("/api/v2/api-keys/{id}", scope::keys, v2::delete_api_key, v2::replay_delete_api_key),
        daily_act::by_rules),
};

} // namespace credence::http::declare
