#pragma once

#include "actors/domain/address.hpp"

#include <optional>
#include <string_view>

/// Addresses whose letters carry a checksum in their case (EIP-55).
namespace credence::auth {

using credence::checksummed_text;

/// Reads exactly what `checksummed_text` writes; nothing for every other text, such as the
/// same address in lower case.
inline std::optional<address> parse_checksummed_address(std::string_view text) {
  const auto parsed = parse_address(text);
  return parsed && checksummed_text(*parsed) == text ? parsed : std::nullopt;
}

} // namespace credence::auth
