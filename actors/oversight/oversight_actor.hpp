#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/oversight/oversight_storage.hpp"

namespace credence::oversight {

/// Answers operators from committed rows; it owns nothing.
using oversight_handle =
  caf::typed_actor<caf::reacts_to<ask<list_all_keys>>, caf::reacts_to<ask<count_events>>, caf::reacts_to<ask<list_failed_events>>,
                   caf::reacts_to<ask<get_standing>>, caf::reacts_to<ask<find_projects>>>;
struct oversight_door : door<oversight_handle> {};

oversight_handle spawn_oversight(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::oversight
