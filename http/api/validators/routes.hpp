#pragma once

#include "http/api/declare.hpp"
#include "http/api/validators/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array validator_routes{
  reads("/api/v2/xp/validators", v2::get_no_validators),
  reads("/api/v2/nfts/validators/listings", v2::get_no_listings),
  reads("/api/v2/auctions", v2::get_no_auctions),
  reads("/api/v2/nfts/user/{userkey}", v2::get_tokens_of_user),
  reads("/api/v2/nfts/user/{userkey}/owns-validator", v2::get_owns_validator),
};

} // namespace credence::http::declare
