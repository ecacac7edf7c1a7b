#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
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

} // namespace credence::auth
