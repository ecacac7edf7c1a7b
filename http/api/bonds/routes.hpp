#pragma once

#include "http/api/bonds/handlers.hpp"
#include "http/api/declare.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array bond_routes{
  admin_records("/api/v2/bonds/create", v2::post_bond, v2::replay_post_bond),
  admin_records("/api/v2/bonds/{id}/archive", v2::post_bond_archive, v2::replay_change_bond),
  admin_records("/api/v2/bonds/{id}/expiration", v2::post_bond_expiration, v2::replay_change_bond),
};

} // namespace credence::http::declare
