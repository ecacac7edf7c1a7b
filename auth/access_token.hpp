#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/time.hpp"
#include "config/secret.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Tokens: JWTs (RFC 7519) that this service signs for itself with HS256. The `typ` of its
/// header says what a token is for, so that none passes for another (RFC 8725, 3.11).
namespace credence::auth {

/// The `kid` (RFC 7515, 4.1.4) of a key that signs: it follows from the key, and tells nothing of it.
std::string signing_key_id(const secret& key);

/// A key for HS256 with its id, which is worked out once.
class signing_key {
public:
  signing_key() = default;
  signing_key(secret key) : key_(std::move(key)), id_(signing_key_id(key_)) {}
  operator const secret&() const& noexcept { return key_; }
  operator const secret&() const&& = delete; // would outlive it
  const std::string& reveal() const noexcept { return key_.reveal(); }
  const std::string& id() const noexcept { return id_; }

private:
  secret key_;
  std::string id_;
};

/// What a token must say to be one of ours.
struct token_rules {
  signing_key key; // at least 32 bytes; signs, and its id is the `kid` of what it signs
  std::string issuer;
  std::string audience;
  std::chrono::seconds clock_skew{30};
  std::vector<signing_key> older = {}; // sign no more; what they signed holds as long as they are here
};

/// An admin's token lives no longer than this; of one that does, the claim does not count.
inline constexpr std::chrono::hours admin_token_lifetime_max{24};

enum class token_kind : std::uint8_t {
  access,  // `JWT`: a bearer token
  api_key, // `apikey+jwt`: names a key, which has to hold as well
  session, // `session+jwt`: likewise a session; for a cookie
  refresh, // `refresh+jwt`: renews a session, once
  partner, // `partner+jwt`: names a session that is for pages of a partner alone; for a cookie, or as a bearer token
  partner_refresh, // `partner-refresh+jwt`: renews such a session, once
  console,         // `console+jwt`: a session of the operator console; for a cookie
};

/// What is signed into a token.
struct token_claims {
  token_kind kind = token_kind::access;
  profile_id profile; // 0 only of the console: nobody's
  bool admin = false;
  std::string id = {};      // `jti`: of the key or session; of an access token one to revoke it by, or empty
  std::string session = {}; // `sid`: the session that an access token ends with; mostly empty
  std::chrono::sys_seconds issued_at{};
  std::chrono::sys_seconds expires_at{};
  std::string unique = {}; // `rnd`: makes refresh tokens of one moment differ
  std::string role = {};   // of the console; of one whose role hangs on the profile empty
  std::string name = {};   // of the console: who somebody without a profile is
  std::string wallet = {}; // of the console: the address that signed in
};

/// Who a valid token speaks for.
struct verified_token {
  token_kind kind = token_kind::access;
  profile_id profile;
  std::string id = {};      // of the key or session; of an access token that can be revoked by it
  std::string session = {}; // of an access token that ends with its session
  bool admin = false;       // this service signed it with that claim
  bool lives_hours = false; // its whole life is short enough for an admin's
  std::chrono::sys_seconds issued_at{};
  std::chrono::sys_seconds not_before{};
  std::chrono::sys_seconds expires_at{};
  std::string role = {};   // of the console
  std::string name = {};   // of the console
  std::string wallet = {}; // of the console
};

/// Signs a token for a profile, valid from now for `lifetime`. An admin's lives `admin_token_lifetime_max`
/// at most and has an id to revoke it by.
std::string mint_access_token(const token_rules& rules, profile_id profile, bool admin, std::chrono::sys_seconds now,
                              std::chrono::seconds lifetime);

/// Signs a token.
std::string mint_token(const token_rules& rules, const token_claims& claims);

/// `verify_access_token` for a token of any of the kinds in `wanted`.
outcome<verified_token> verify_token(const token_rules& rules, std::string_view token, token_kind wanted,
                                     std::chrono::sys_seconds now);

/// Checks a token (RFC 7519, 7.2, with the advice of RFC 8725): three canonical
/// base64url parts; a header that is exactly this service's kind (`HS256`, `JWT`, perhaps the `kid`
/// of one of its keys), so that no algorithm is negotiated and no key is brought by a stranger; the
/// signature, in constant time; then iss, aud, iat, nbf, exp and sub. Every refusal reads the same.
outcome<verified_token> verify_access_token(const token_rules& rules, std::string_view token,
                                            std::chrono::sys_seconds now);

/// The one thing a client is told about a token that does not hold.
refusal bad_token();

/// Longest token that is looked at, in bytes.
inline constexpr std::size_t token_length_max = 4096;

} // namespace credence::auth
