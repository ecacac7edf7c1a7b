#include "tests/example/note_sql.hpp"

#include "persistence/postgres/column.hpp"
#include "persistence/readers/handlers.hpp"

namespace credence::persistence {

namespace {

constexpr const auto& note_fields = part<note::note>::fields;
const auto notes_sql = "SELECT " + column_list(note_fields) + " FROM notes WHERE author_id = $1::int4 ORDER BY number";

const statement insert_notes{"insert_notes", insert_all<note::note_created>("notes")};
const statement edit_note{"edit_note", update_one<note::note_edited>("notes", 2)};
const statement archive_note{"archive_note",
                             "UPDATE notes SET archived = true WHERE author_id = $1::int4 AND number = $2::int4"};

} // namespace

fact_sql_ptr sql_of(kind<note::note_created>) { return written_together<note::note_created>(insert_notes); }
fact_sql_ptr sql_of(kind<note::note_edited>) {
  return behind<note::note_created>(written_in_turn<note::note_edited>(edit_note));
}
fact_sql_ptr sql_of(kind<note::note_archived>) {
  return behind<note::note_created>(written_in_turn<note::note_archived>(archive_note));
}

note::stored_notes read(connection& on, const note::load_notes& query, steady_time deadline) {
  return {all_of(on.run(notes_sql.c_str(), with(query.author), deadline), note_fields)};
}
constexpr query_policy query_policy_of(asked<note::load_notes>) { return load_by_key; }

template std::vector<load_handler> handlers_of<note::storage>();

} // namespace credence::persistence
