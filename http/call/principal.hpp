#pragma once

#include "actors/profile/credential_slot.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace credence::http {

/// How a caller has shown who it is.
enum class credential_kind : std::uint8_t {
  access_token,
  api_key,
  session,
  partner, // a session for the pages of a partner alone
};

/// Who calls, once a credential has been verified.
struct principal {
  profile_id profile;
  bool admin = false;
  credential_kind by = credential_kind::access_token;
  /// The key or session behind it; null for an access token that stands alone.
  std::shared_ptr<const profile::credential_slot> credential = {};
  std::optional<address> wallet = {}; // that a provider's token speaks for
  timestamp issued_at = {};           // of an access token of this service's own

  /// Whether an admin calls with an access token, which lives hours; keys and sessions never act for all.
  bool admin_by_token() const noexcept { return admin && by == credential_kind::access_token; }
  /// Whether an endpoint that needs this scope may be called.
  bool may(scope scope) const noexcept {
    return !credential || !credential->bounds().scopes || credential->bounds().scopes->allows(scope);
  }
};

} // namespace credence::http
