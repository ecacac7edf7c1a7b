#pragma once

#include "http/api/declare.hpp"
#include "tests/example/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array note_routes{
  reads("/api/v2/notes/{profileId}", v2::get_notes),
  reads("/api/v2/notes/{profileId}/{id}", v2::get_note),
  a_day(writes("/api/v2/notes", scope::vote, v2::post_note, v2::replay_post_note), daily_act::record_edits),
  a_day(writes("/api/v2/notes/{id}/edit", scope::vote, v2::post_note_edit, v2::replay_post_note_change),
        daily_act::record_edits),
  a_day(writes("/api/v2/notes/{id}/archive", scope::vote, v2::post_note_archive, v2::replay_post_note_change),
        daily_act::record_edits),
};

} // namespace credence::http::declare
