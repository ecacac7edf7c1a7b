#pragma once

#include "actors/domain/outcome.hpp"
#include "auth/access_token.hpp"
#include "auth/jwks.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Access tokens of an outside identity provider: JWTs that it signs with ES256 (RFC 7519,
/// RFC 7518 3.4, RFC 8725).
namespace credence::auth {

/// What a token must say to be one of the provider's for us.
struct provider_rules {
  std::string issuer;
  std::string audience;
  std::string claim; // that names the user
  std::chrono::seconds clock_skew{30};
};

/// Whom a valid token of the provider speaks for.
struct provider_claims {
  std::string user; // the claim's text, or its number in decimal; not empty, without control characters
  std::chrono::sys_seconds not_before{};
  std::chrono::sys_seconds expires_at{};
  std::optional<std::chrono::sys_seconds>
    issued_at; // `iat`, as the provider's clock was; nothing where the token does not say
};

/// Whether a token's header names ES256. Says nothing about whether it holds: it only decides
/// by whose rules it is read, and neither's rules take the other's algorithm.
bool names_es256(std::string_view token);

/// The id of the key that a token names, when its header is one that is taken.
std::optional<std::string> key_id_of(std::string_view token);

/// Checks a token. Its header has `alg` ES256, `kid`, perhaps `typ` (`JWT` or `at+jwt`) and
/// nothing else, so that no key is brought along (`jwk`, `x5c`) or fetched (`jku`, `x5u`) and no
/// extension is overlooked (`crit`). The key is one of `keys`. Then the signature, `iss`, `aud` (a
/// text, or a list that holds ours), `exp`, `nbf` and `iat` where they are there, and the claim that
/// names the user. Every refusal reads as `bad_token`.
outcome<provider_claims> verify_provider_token(const provider_rules& rules, const jwk_set& keys, std::string_view token,
                                               std::chrono::sys_seconds now);

} // namespace credence::auth
