#pragma once

#include "actors/console/admin_database.hpp"
#include "config/settings.hpp"

namespace credence::persistence {

/// Spawns the actor that reads and notes for the console, on a thread of its own.
console::admin_database_handle spawn_admin_database(caf::actor_system& sys, const settings::store& how);

} // namespace credence::persistence
