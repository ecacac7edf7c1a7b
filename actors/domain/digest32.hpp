#pragma once

#include <array>
#include <cstddef>

namespace credence {

/// 32 bytes: a SHA-256, a Keccak-256, a word or topic of a chain.
using digest32 = std::array<std::byte, 32>;

/// Whether both are the same; takes the same time wherever they differ.
inline bool same_in_constant_time(const digest32& a, const digest32& b) noexcept {
  std::byte difference{};
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= a[i] ^ b[i];
  return difference == std::byte{};
}

} // namespace credence
