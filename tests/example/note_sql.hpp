#pragma once

#include "persistence/readers/manner.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"
#include "tests/example/note_storage.hpp"

/// Notes: statements and row mapping.
namespace credence::persistence {

extern const statement insert_notes;
extern const statement edit_note;
extern const statement archive_note;

template <>
struct sql_of<note::note_created> : written_together<note::note_created, insert_notes> {};
template <>
struct sql_of<note::note_edited> : written_freely {
  using after = types<note::note_created>;
  static statements_used used() { return {&edit_note}; }
  void add(const note::note_edited& change, global_seq number, batch_statements& to);
};
template <>
struct sql_of<note::note_archived> : written_freely {
  using after = types<note::note_created>;
  static statements_used used() { return {&archive_note}; }
  void add(const note::note_archived& change, global_seq number, batch_statements& to);
};

note::stored_notes read(connection& on, const note::load_notes& query, steady_time deadline);
template <>
inline constexpr manner manner_of<note::load_notes> = load_by_key;

template <>
inline constexpr number_column numbers_of<note::note_created>{"notes"};
} // namespace credence::persistence
