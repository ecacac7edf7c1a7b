#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace credence::http {

using sip_key = std::array<std::uint64_t, 2>;

/// SipHash-c-d (Aumasson and Bernstein, 2012), c rounds a word and d at the end: who does not know the key cannot find two
/// inputs with the same hash. As published on machines with the low byte first.
template <int Rounds = 1, int RoundsAtEnd = 3>
std::uint64_t sip_hash(const sip_key& key, std::string_view bytes) noexcept {
  const auto rotated = [](std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); };
  std::uint64_t v0 = key[0] ^ 0x736f6d6570736575, v1 = key[1] ^ 0x646f72616e646f6d;
  std::uint64_t v2 = key[0] ^ 0x6c7967656e657261, v3 = key[1] ^ 0x7465646279746573;
  const auto round = [&] {
    v0 += v1, v1 = rotated(v1, 13) ^ v0, v0 = rotated(v0, 32);
    v2 += v3, v3 = rotated(v3, 16) ^ v2;
    v0 += v3, v3 = rotated(v3, 21) ^ v0;
    v2 += v1, v1 = rotated(v1, 17) ^ v2, v2 = rotated(v2, 32);
  };
  const auto take = [&](std::uint64_t word) {
    v3 ^= word;
    for (int i = 0; i < Rounds; ++i)
      round();
    v0 ^= word;
  };
  const auto whole = bytes.size() / 8 * 8;
  for (std::size_t at = 0; at < whole; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    take(word);
  }
  std::uint64_t last = std::uint64_t{bytes.size()} << 56;
  for (auto i = whole; i < bytes.size(); ++i)
    last |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * (i - whole);
  take(last);
  v2 ^= 0xff;
  for (int i = 0; i < RoundsAtEnd; ++i)
    round();
  return v0 ^ v1 ^ v2 ^ v3;
}

} // namespace credence::http
