#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/reputation/record_storage.hpp"

namespace credence::reputation {

/// Decides on records: one keeper for all, as ids have no gaps and many rules span several rows. It works in rounds. It
/// takes the requests that wait, reads the rows they need at once, decides them in order, each over what those before it
/// changed, sends each change by itself, and begins again when the fate of all is known. Between rounds it keeps nothing.
using record_handle = caf::typed_actor<caf::reacts_to<ask<create_review>>, caf::reacts_to<ask<edit_review>>, caf::reacts_to<ask<archive_review>>,
                                       caf::reacts_to<ask<get_review>>>;
struct record_door : door<record_handle> {};

record_handle spawn_records(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::reputation
