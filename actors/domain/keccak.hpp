#pragma once

#include "actors/domain/digest32.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace credence {

/// Keccak-256 with the original padding, as Ethereum uses it (not SHA3-256).
digest32 keccak256(std::string_view bytes);
digest32 keccak256(std::span<const std::byte> bytes);

/// keccak256(abi.encode(string service, string account)): the identity of an
/// attestation on chain.
digest32 attestation_hash(std::string_view service, std::string_view account);

} // namespace credence
