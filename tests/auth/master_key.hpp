#pragma once

#include "auth/wallet_keys_local.hpp"

namespace credence::auth {

/// A master key for tests: `digit` begins it, the rest counts up.
inline std::string master_hex(char digit) {
  return std::string(1, digit) + "00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
}

inline master_key master(std::int32_t version, char digit) { return {version, master_hex(digit), "test"}; }

} // namespace credence::auth
