#pragma once

#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "config/settings.hpp"

namespace credence::persistence {

/// Who is told.
struct change_listeners {
  people::people_handle people;
  listing::listing_handle listings;
};

/// Listens to the database on a connection of its own and passes on what changes. A connection
/// that was lost has missed something: once there is a new one, everything counts as changed.
actor_ref spawn_change_feed(caf::actor_system& sys, const settings::store& how, change_listeners whom);

} // namespace credence::persistence
