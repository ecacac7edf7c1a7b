#pragma once

#include "actors/kernel/writes.hpp"
#include "config/settings.hpp"
#include "persistence/readers/reading.hpp"

#include <caf/actor_addr.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/fwd.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

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

using reader_entity = caf::typed_actor<caf::reacts_to<read_this>>;

/// Spawns a reader on a thread of its own. It connects when it has to read, and tells `pool` `read_done` each time.
/// While the database is away it fails at once; `status`, which outlives it, tells it when the writer got through
/// again.
reader_entity spawn_reader(caf::actor_system& sys, const settings::store& how, const store_status& status, lane on,
                           std::size_t number, const caf::actor_addr& pool);

} // namespace credence::persistence

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::read_this)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::read_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::reader_gone)
