#pragma once

#include "actors/domain/hash.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace credence {

/// An Ethereum address, or any other 20 bytes of that form. Ordered by its bytes.
struct address {
  std::array<std::byte, 20> bytes{};
  friend auto operator<=>(const address&, const address&) = default;
};

/// Reads `0x` and 40 hexadecimal digits, in any case; nothing for every other text. The
/// case carries a checksum (EIP-55), which auth/address.hpp looks at.
std::optional<address> parse_address(std::string_view text);

/// `0x` and 40 lower-case digits: one text for one address, as in a userkey.
std::string lower_text(const address& of);

/// `0x` and 40 digits, each letter in upper case where the Keccak-256 of the lower-case
/// text says so (EIP-55).
std::string checksummed_text(const address& of);

} // namespace credence

template <>
struct std::hash<credence::address> {
  std::size_t operator()(const credence::address& x) const noexcept { return credence::keyed_hash{}(x.bytes); }
};
