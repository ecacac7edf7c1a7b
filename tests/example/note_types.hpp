#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"

#include <vector>

/// Notes that a profile writes: what docs/changing.md goes through when it adds an entity.
namespace credence::note {

/// What a note says is 1 to 280 characters.
inline constexpr std::size_t length_max = 280;
/// A profile writes so many at most.
inline constexpr std::size_t notes_max = 1000;

struct note {
  std::int32_t number = 0; // from 1, without gaps, of its author
  std::string text;
  timestamp written_at;
  bool archived = false;
};

// -- questions -----------------------------------------------------------------------

/// Refused with `key_limit_reached` where there are too many.
struct create_note {
  using answer_type = note;
  profile_id author;
  std::string text; // checked by the front
};
/// Refused with `not_found` where there is no such note, or it is archived.
struct edit_note {
  using answer_type = note;
  profile_id author;
  std::int32_t number = 0;
  std::string text;
};
/// Refused like `edit_note`.
struct archive_note {
  using answer_type = note;
  profile_id author;
  std::int32_t number = 0;
};
/// One note, archived or not; refused with `not_found`.
struct get_note {
  using answer_type = note;
  profile_id author;
  std::int32_t number = 0;
};
/// Those that are not archived, oldest first.
struct list_notes {
  using answer_type = std::vector<note>;
  profile_id author;
};

// -- changes -------------------------------------------------------------------------

struct note_created {
  profile_id author;
  std::int32_t number = 0;
  std::string text;
  timestamp at;
};
struct note_edited {
  profile_id author;
  std::int32_t number = 0;
  std::string text;
};
struct note_archived {
  profile_id author;
  std::int32_t number = 0;
};

// -- what is read --------------------------------------------------------------------

/// All notes of one profile, by number.
struct load_notes {
  profile_id author;
};
struct stored_notes {
  std::vector<note> notes;
};

} // namespace credence::note
