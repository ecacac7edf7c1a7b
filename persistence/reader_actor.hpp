#pragma once

#include "actors/store.hpp"
#include "config/settings.hpp"

#include <caf/fwd.hpp>

namespace credence::persistence {

/// Spawns the read connections, each on a thread of its own and opened on first use,
/// and the pool that hands each question to an idle one. Questions fail until
/// `status.owned`: a batch of an earlier writer might still be committed after a read.
reader_handle spawn_readers(caf::actor_system& sys, const settings::store& how, const store_status& status);

} // namespace credence::persistence
