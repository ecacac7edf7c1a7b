#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/time.hpp"
#include "config/secret.hpp"

#include <chrono>
#include <string>
#include <string_view>

/// Tokens: JWTs (RFC 7519) that this service signs for itself with HS256. The `typ` of its
/// header says what a token is for, so that none passes for another (RFC 8725, 3.11).
namespace credence::auth {

/// What a token must say to be one of ours.
struct token_rules {
  secret key; // HS256, at least 32 bytes
  std::string issuer;
  std::string audience;
  std::chrono::seconds clock_skew{30};
};

enum class token_kind : std::uint8_t {
  access,  // `JWT`: a bearer token
  api_key, // `apikey+jwt`: names a key, which has to hold as well
  session, // `session+jwt`: likewise a session; for a cookie
  refresh, // `refresh+jwt`: renews a session, once
};

/// What is signed into a token.
struct token_claims {
  token_kind kind = token_kind::access;
  profile_id profile;
  bool admin = false;
  std::string id = {}; // `jti`: of the key or session; of an access token empty
  std::chrono::sys_seconds issued_at{};
  std::chrono::sys_seconds expires_at{};
  std::string unique = {}; // `rnd`: makes refresh tokens of one moment differ
};

/// Who a valid token speaks for.
struct verified_token {
  token_kind kind = token_kind::access;
  profile_id profile;
  std::string id = {}; // of the key or session
  bool admin = false; // this service signed it with that claim
  std::chrono::sys_seconds not_before{};
  std::chrono::sys_seconds expires_at{};
};

/// Signs a token for a profile, valid from now for `lifetime`.
std::string mint_access_token(const token_rules& rules, profile_id profile, bool admin,
                              std::chrono::sys_seconds now, std::chrono::seconds lifetime);

/// Signs a token.
std::string mint_token(const token_rules& rules, const token_claims& what);

/// `verify_access_token` for a token of any of the kinds in `wanted`.
outcome<verified_token> verify_token(const token_rules& rules, std::string_view token, token_kind wanted,
                                     std::chrono::sys_seconds now);

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
