#pragma once

#include "actors/store.hpp"
#include "config/settings.hpp"

#include <caf/fwd.hpp>

namespace credence::persistence {

/// Spawns the writer on a thread of its own. It connects by itself and keeps `status`,
/// which must outlive it, telling the truth.
writer_handle spawn_writer(caf::actor_system& sys, const settings::store& how, store_status& status);

} // namespace credence::persistence
