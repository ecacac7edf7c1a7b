#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "tests/example/note_types.hpp"

/// What notes write and read.
namespace credence {

CREDENCE_PART(note::note, number, text, written_at, archived);

template <>
struct fact<note::note_created> : numbered<note::note_created> {
  static std::string effect(const of& made) { return std::to_string(made.number); }
  static constexpr auto fields = CREDENCE_FIELDS(of, (author_id, author), number, text, (written_at, at));
};

CREDENCE_FACT(without_effect, note::note_edited, (author_id, author), number, text);
CREDENCE_FACT(without_effect, note::note_archived, (author_id, author), number);

namespace note {
/// What is written and what is asked.
struct storage {
  using facts = types<note_created, note_edited, note_archived>;
  using loads = types<load<load_notes, stored_notes>>;
};
} // namespace note

} // namespace credence
