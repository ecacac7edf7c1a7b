#pragma once

#include "config/secret.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// The keys that sign tokens. Either configured, or a ring in `<data_dir>/token.key`: one key a line,
/// the newest first. The newest signs; what older ones signed holds until they are retired.
namespace credence::auth {

struct signing_keys {
  secret now;
  std::vector<secret> older;
};

/// More would make forged tokens dear to refuse.
inline constexpr std::size_t signing_keys_max = 4;

/// The configured keys (`before` is the one that signed before), or else those in the data directory, where
/// the first is made on first use (256 random bits, mode 0600). Throws std::runtime_error, with what
/// to do, for a key that is too short and for a file that others may read.
signing_keys read_signing_keys(const secret& configured, const secret& before, const std::string& data_dir);

/// Puts a new key in front of the ring in the data directory; returns its id. A server signs with it from
/// its next start on. Throws std::runtime_error when the ring is full.
std::string rotate_signing_keys(const std::string& data_dir);

/// Takes the key with this id out of the ring: no server accepts what it signed from its next start on. Throws
/// std::runtime_error for the key that signs, and for one that is not there.
void retire_signing_key(const std::string& data_dir, const std::string& id);

} // namespace credence::auth
