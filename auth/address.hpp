#pragma once

#include "actors/domain/address.hpp"

/// Addresses whose letters carry a checksum in their case (EIP-55).
namespace credence::auth {

/// `0x` and 40 digits, each letter in upper case where the Keccak-256 of the lower-case
/// text says so (EIP-55).
std::string checksummed_text(const address& of);

/// Reads exactly what `checksummed_text` writes; nothing for every other text, such as the
/// same address in lower case.
std::optional<address> parse_checksummed_address(std::string_view text);

} // namespace credence::auth
