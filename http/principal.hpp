#pragma once

#include "actors/domain/ids.hpp"

#include <cstdint>

namespace credence::http {

/// How a caller has shown who it is.
enum class credential_kind : std::uint8_t { access_token, api_key, session };

/// Who calls, once a credential has been verified.
struct principal {
  profile_id profile;
  bool admin = false;
  credential_kind by = credential_kind::access_token;
};

} // namespace credence::http
