#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/oversight/oversight_storage.hpp"

namespace credence::oversight {

/// Answers operators from committed rows; it owns nothing.
using oversight_handle =
  caf::typed_actor<asked<list_all_keys, count_events, list_failed_events, get_standing, find_projects>>;
struct oversight_door : door<oversight_handle> {};

oversight_handle spawn_oversight(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::oversight
