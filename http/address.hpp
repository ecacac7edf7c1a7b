#pragma once

#include "actors/people/lookup_types.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace credence::http {

/// An Ethereum address: `0x` and 40 hex digits, of any case. Nothing when it is not one.
std::optional<people::address_bytes> read_address(std::string_view text);

/// The address as text with the checksum in the case of its letters (EIP-55).
std::string checksummed(const people::address_bytes& address);

/// `0x` and the bytes as lower-case hex.
std::string hex_text(std::span<const std::byte> bytes);

} // namespace credence::http
