#pragma once

#include "actors/domain/outcome.hpp"
#include "auth/access_token.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct evp_pkey_st; // OpenSSL's key

/// Public keys of an identity provider (JWK Set, RFC 7517).
namespace credence::auth {

/// Why a text is not a set of keys. Names no key's content.
class jwks_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The keys of a set that can sign ES256 (RFC 7518, 3.4): on the curve P-256, with an id, public,
/// meant for signatures (`use`, `key_ops`, `alg`). Keys of other kinds are left out.
/// Never changes, so that threads may share one.
class jwk_set {
public:
  static constexpr std::size_t bytes_max = 64 * 1024;
  static constexpr std::size_t keys_max = 100;
  static constexpr std::size_t key_id_length_max = 256;

  /// Without keys.
  jwk_set() = default;
  /// Throws `jwks_error` for what is no set, too large, says a thing twice, or gives two keys
  /// one id. A set without a usable key is a set: what it names no longer holds.
  explicit jwk_set(std::string_view json);

  std::size_t size() const noexcept { return keys_.size(); }
  /// Keys left out.
  std::size_t skipped() const noexcept { return skipped_; }
  bool holds(std::string_view key_id) const { return keys_.find(key_id) != keys_.end(); }

  /// Whether `signature`, 64 bytes of r and s, is that of the key over `text`. False for an
  /// id that is not in the set.
  bool verify(std::string_view key_id, std::string_view text, std::string_view signature) const;

private:
  std::map<std::string, std::shared_ptr<evp_pkey_st>, std::less<>> keys_;
  std::size_t skipped_ = 0;
};

// Access tokens of an outside identity provider: JWTs that it signs with ES256 (RFC 7519,
// RFC 7518 3.4, RFC 8725).

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
