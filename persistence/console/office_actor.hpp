#pragma once

#include "actors/console/office.hpp"
#include "config/settings.hpp"

namespace credence::persistence {

/// Spawns the actor that reads and notes for the console, on a thread of its own.
console::office_handle spawn_office(caf::actor_system& sys, const settings::store& how);

} // namespace credence::persistence
