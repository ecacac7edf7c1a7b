#pragma once

#include "actors/domain/hash.hpp"

namespace credence::auth {

using credence::attestation_hash;
using credence::keccak256;

} // namespace credence::auth
