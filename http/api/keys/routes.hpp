#pragma once

#include "http/api/declare.hpp"
#include "http/api/keys/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array key_routes{
  signs("/api/v2/api-keys", v2::post_api_key, idempotency_keeper::by_handler),
  reads_own("/api/v2/api-keys", v2::get_api_keys, scope::keys),
  deletes("/api/v2/api-keys/{id}", scope::keys, v2::delete_api_key, v2::replay_delete_api_key),
};

} // namespace credence::http::declare
