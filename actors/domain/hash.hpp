#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

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

/// Reads two hexadecimal digits a byte, in any case, without a prefix. False when `text` is
/// not exactly that many; `out` is then worthless.
bool decode_hex(std::string_view text, std::span<std::byte> out);

/// Appends two lower-case digits a byte.
void append_hex(std::string& out, std::span<const std::byte> bytes);
/// `0x` and those digits.
inline std::string hex_text(std::span<const std::byte> bytes) {
  std::string out = "0x";
  append_hex(out, bytes);
  return out;
}

/// Keccak-256 with the original padding, as Ethereum uses it (not SHA3-256).
digest32 keccak256(std::string_view bytes);
digest32 keccak256(std::span<const std::byte> bytes);

/// keccak256(abi.encode(string service, string account)): the identity of an
/// attestation on chain.
digest32 attestation_hash(std::string_view service, std::string_view account);

using sip_key = std::array<std::uint64_t, 2>;

/// SipHash-c-d (Aumasson and Bernstein, 2012), c rounds a word and d at the end: who does not know the key cannot find
/// two inputs with the same hash. As published on machines with the low byte first.
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

/// The key of this process, made at random when it is first asked for.
const sip_key& hash_key() noexcept;
/// Sets it instead, before anything is hashed: for tests that must repeat to the letter.
void set_hash_key(const sip_key& key) noexcept;

inline std::uint64_t keyed_hash_of(std::string_view bytes) noexcept { return sip_hash(hash_key(), bytes); }

/// Hashes whatever strangers may choose: texts, numbers and arrays of bytes. With any hash
/// that they can work out, a few thousand chosen keys make a table as slow as a list; that
/// goes for digests of what they send, too, because they can try inputs at home.
struct keyed_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return keyed_hash_of(text); }
  template <class T>
  requires std::is_arithmetic_v<T> std::size_t operator()(T number) const noexcept {
    return keyed_hash_of({reinterpret_cast<const char*>(&number), sizeof number});
  }
  template <std::size_t N>
  std::size_t operator()(const std::array<std::byte, N>& bytes) const noexcept {
    return keyed_hash_of({reinterpret_cast<const char*>(bytes.data()), N});
  }
};

} // namespace credence
