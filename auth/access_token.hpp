#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/time.hpp"
#include "config/secret.hpp"

#include <chrono>
#include <string>
#include <string_view>

/// Access tokens: JWTs (RFC 7519) that this service signs for itself with HS256.
namespace credence::auth {

/// What a token must say to be one of ours.
struct token_rules {
  secret key; // HS256, at least 32 bytes
  std::string issuer;
  std::string audience;
  std::chrono::seconds clock_skew{30};
};

/// Who a valid token speaks for.
struct verified_token {
  profile_id profile;
  bool admin = false; // this service signed it with that claim
  std::chrono::sys_seconds not_before{};
  std::chrono::sys_seconds expires_at{};
};

/// Signs a token for a profile, valid from now for `lifetime`.
std::string mint_access_token(const token_rules& rules, profile_id profile, bool admin,
                              std::chrono::sys_seconds now, std::chrono::seconds lifetime);

/// Checks a token (RFC 7519, 7.2, with the advice of RFC 8725): three canonical
/// base64url parts; a header that is exactly this service's kind (`HS256`, `JWT`), so
/// that no algorithm is negotiated and no key is named by a stranger; the signature,
/// in constant time; then iss, aud, iat, nbf, exp and sub. Every refusal reads the same.
outcome<verified_token> verify_access_token(const token_rules& rules, std::string_view token,
                                            std::chrono::sys_seconds now);

/// The one thing a client is told about a token that does not hold.
refusal bad_token();

/// Longest token that is looked at, in bytes.
inline constexpr std::size_t token_length_max = 4096;

} // namespace credence::auth
