#pragma once

#include "actors/context.hpp"
#include "actors/integrity/integrity_storage.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"

namespace credence::integrity {

/// Has analyses made, one at a time and only when asked, and keeps what the last one found.
using integrity_handle = actor_handle<get_analysis, start_analysis, stop_analysis>;
struct integrity_door {
  using handle = integrity_handle;
};

integrity_handle spawn_integrity(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::integrity
