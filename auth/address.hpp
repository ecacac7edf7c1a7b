#pragma once

#include "actors/domain/address.hpp"

/// Addresses whose letters carry a checksum in their case (EIP-55).
namespace credence::auth {

using credence::checksummed_text;

/// Reads exactly what `checksummed_text` writes; nothing for every other text, such as the
/// same address in lower case.
std::optional<address> parse_checksummed_address(std::string_view text);

} // namespace credence::auth
