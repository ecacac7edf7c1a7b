#pragma once

#include "auth/digest.hpp"

namespace credence::auth {

/// Keccak-256 with the original padding, as Ethereum uses it (not SHA3-256).
digest keccak256(std::string_view bytes);

/// keccak256(abi.encode(string service, string account)): the identity of an
/// attestation on chain.
digest attestation_hash(std::string_view service, std::string_view account);

} // namespace credence::auth
