#pragma once

#include "actors/store.hpp"
#include "config/settings.hpp"
#include "persistence/writer/takeover.hpp"

#include <memory>

namespace credence::persistence {

class write_sessions;

/// Spawns the writer of a shard on a thread of its own. It connects by itself and keeps `status`,
/// which must outlive it, telling the truth.
writer_handle spawn_writer(caf::actor_system& sys, const settings::store& how, store_status& status, const claim& mine);
/// The same actor over other sessions and without a thread of its own, for simulations.
writer_handle spawn_writer_here(caf::actor_system& sys, const settings::store& how, store_status& status,
                                std::unique_ptr<write_sessions> sessions, clock_source clocks = {});

} // namespace credence::persistence
