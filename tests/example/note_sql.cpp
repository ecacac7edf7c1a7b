#include "persistence/postgres/column.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"
#include "tests/example/note_storage.hpp"

/// Notes: how they are written and read.
namespace credence::persistence {

namespace {

constexpr const auto& note_fields = part<note::note>::fields;
const auto notes_sql = "SELECT " + column_list(note_fields) + " FROM notes WHERE author_id = $1::int4 ORDER BY number";

const statement insert_notes{"insert_notes", insert_all<note::note_created>("notes")};
const statement edit_note{"edit_note", update_one<note::note_edited>("notes", 2)};
const statement archive_note{"archive_note",
                             "UPDATE notes SET archived = true WHERE author_id = $1::int4 AND number = $2::int4"};

} // namespace

fact_sql_ptr sql_of(kind<note::note_created> it) { return written_together(it, insert_notes); }
number_column numbers_of(kind<note::note_created>) { return {"notes"}; }
fact_sql_ptr sql_of(kind<note::note_edited> it) { return behind<note::note_created>(written_in_turn(it, edit_note)); }
fact_sql_ptr sql_of(kind<note::note_archived> it) {
  return behind<note::note_created>(written_in_turn(it, archive_note));
}

note::stored_notes read(connection& on, const note::load_notes& query, steady_time deadline) {
  return {all_of(on.run(notes_sql.c_str(), with(query.author), deadline), note_fields)};
}
load_handler handler(asked<note::load_notes> it) { return reads<load_by_key, note::storage>(it); }

} // namespace credence::persistence
