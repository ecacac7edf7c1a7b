#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "tests/example/note_storage.hpp"

namespace credence::note {

/// The notes of one profile, and the router of all notes.
using note_handle = actor_handle<create_note, edit_note, archive_note, get_note, list_notes>;
struct note_door {
  using handle = note_handle;
};

/// Spawns the router of all notes.
note_handle spawn_notes(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::note
