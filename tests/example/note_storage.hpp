#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "tests/example/note_types.hpp"

/// What notes write and read.
namespace credence {

template <>
struct part<note::note> {
  using of = note::note;
  static constexpr field_list fields{field{"number", &of::number}, field{"text", &of::text},
                                     field{"written_at", &of::written_at}, field{"archived", &of::archived}};
};

template <>
struct fact<note::note_created> : numbered<note::note_created> {
  static std::string effect(const of& made) { return std::to_string(made.number); }
  static constexpr field_list fields{field{"author_id", &of::author}, field{"number", &of::number},
                                     field{"text", &of::text}, field{"written_at", &of::at}};
};

template <>
struct fact<note::note_edited> : without_effect<note::note_edited> {
  static constexpr field_list fields{field{"author_id", &of::author}, field{"number", &of::number},
                                     field{"text", &of::text}};
};

template <>
struct fact<note::note_archived> : without_effect<note::note_archived> {
  static constexpr field_list fields{field{"author_id", &of::author}, field{"number", &of::number}};
};

namespace note {
/// What is written and what is asked.
struct storage {
  using facts = types<note_created, note_edited, note_archived>;
  using loads = types<load<load_notes, stored_notes>>;
};
} // namespace note

} // namespace credence
