#pragma once

#include "actors/kernel/actor.hpp"
#include "actors/kernel/writes.hpp"
#include "config/settings.hpp"

namespace credence::persistence {

/// Tidies up once a minute, on a thread of its own, and ends when `writer` does. What fails is
/// logged, and tried again at the next round.
actor_ref spawn_tidying(caf::actor_system& sys, const settings::store& how, const store_status& status,
                        const actor_ref& writer);

} // namespace credence::persistence
