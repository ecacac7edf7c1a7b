#pragma once

#include "actors/wallet_signatures.hpp"

namespace credence::auth {

/// Recovers signers, one after the other, on a thread of its own.
wallet_signatures_handle spawn_recovery(caf::actor_system& sys);

} // namespace credence::auth
