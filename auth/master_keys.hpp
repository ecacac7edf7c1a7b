#pragma once

#include "auth/locked_bytes.hpp"
#include "config/settings.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The keys that seal the keys of managed wallets. They are kept outside of the database: in a file that its owner
/// alone may read, or in the environment.
namespace credence::auth {

inline constexpr std::size_t master_key_bytes = 32;

/// Names a master key without telling anything of it: the start of an HMAC-SHA-256 under it.
using master_fingerprint = std::array<std::byte, 8>;

class master_key {
public:
  /// Reads 64 hexadecimal digits. Throws std::runtime_error, which begins with `what`, for all else; the text is never
  /// part of the message.
  master_key(std::int32_t version, std::string_view hex, const std::string& what);

  std::int32_t version() const noexcept { return version_; }
  const master_fingerprint& fingerprint() const noexcept { return fingerprint_; }
  const unsigned char* data() const noexcept { return key_.data(); }

private:
  std::int32_t version_;
  locked_bytes key_;
  master_fingerprint fingerprint_{};
};

/// The one that seals now, and perhaps the one before it, which still opens.
class master_keys {
public:
  /// `now` may not be of a version that `before` has, too.
  explicit master_keys(master_key now) { keys_.push_back(std::move(now)); }
  master_keys(master_key now, master_key before);

  const master_key& now() const noexcept { return keys_.front(); }
  /// Null where none is configured of that version.
  const master_key* of(std::int32_t version) const noexcept;
  /// Such as `2 (1f2e3d4c5b6a7988) and 1 (…)`: versions with their fingerprints.
  std::string named() const;

private:
  std::vector<master_key> keys_; // newest first
};

/// The master keys of the settings: `master_version`, and as its predecessor `master_version - 1`. Throws
/// std::runtime_error with what to do: both a file and a text for one key, a file that others may read, a text that is
/// no key, twice the same.
master_keys read_master_keys(const settings::wallet_keys& with);

std::string hex_of(const master_fingerprint& fingerprint);

} // namespace credence::auth
