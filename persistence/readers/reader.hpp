#pragma once

#include "actors/kernel/actor.hpp"
#include "actors/kernel/writes.hpp"
#include "config/settings.hpp"
#include "persistence/readers/reading.hpp"

#include <cstddef>
#include <memory>
#include <optional>

/// One read connection, as the pool of readers (reader_actor.hpp) uses it.
namespace credence::persistence {

struct read_this {
  std::shared_ptr<reading> task;
};
/// A reader is idle again; `why` is set when it could not read.
struct read_done {
  lane on = lane::loads;
  std::size_t reader = 0;
  std::shared_ptr<reading> task;
  std::optional<trouble> why;
};
/// A reader has died.
struct reader_gone {
  lane on = lane::loads;
  std::size_t reader = 0;
};

using reader_entity = actor_handle<read_this>;

/// Spawns a reader on a thread of its own. It connects when it has to read, and tells `pool` `read_done` each time.
/// While the database is away it fails at once; `status`, which outlives it, tells it when the writer got through
/// again.
reader_entity spawn_reader(caf::actor_system& sys, const settings::store& how, const store_status& status, lane on,
                           std::size_t number, const weak_actor_ref& pool);

} // namespace credence::persistence
