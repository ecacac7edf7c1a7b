#include "tests/example/note_sql.hpp"

#include "persistence/postgres/column.hpp"
#include "persistence/readers/handlers.hpp"

namespace credence::persistence {

namespace {

constexpr auto notes_sql =
  "SELECT number, text, written_at, archived FROM notes WHERE author_id = $1::int4 ORDER BY number";

} // namespace

const statement insert_notes{"insert_notes", fact_columns<note::note_created>::insert_into("notes")};
const statement edit_note{"edit_note",
                          "UPDATE notes SET text = $3::text WHERE author_id = $1::int4 AND number = $2::int4"};
const statement archive_note{"archive_note",
                             "UPDATE notes SET archived = true WHERE author_id = $1::int4 AND number = $2::int4"};

void sql_of<note::note_edited>::add(const note::note_edited& change, global_seq, batch_statements& to) {
  to.put(edit_note, parameters{}.int4(change.author.value).int4(change.number).text(change.text));
}

void sql_of<note::note_archived>::add(const note::note_archived& change, global_seq, batch_statements& to) {
  to.put(archive_note, parameters{}.int4(change.author.value).int4(change.number));
}

note::stored_notes read(connection& on, const note::load_notes& query, steady_time deadline) {
  const auto found = on.run(notes_sql, parameters{}.int4(query.author.value), deadline);
  const column<std::int32_t> number{found, "number"};
  const column<std::string> text{found, "text"};
  const column<timestamp> written_at{found, "written_at"};
  const column<bool> archived{found, "archived"};
  note::stored_notes out;
  for (int i = 0; i < found.count(); ++i)
    out.notes.push_back({number[i], text[i], written_at[i], archived[i]});
  return out;
}

template std::vector<load_handler> handlers_of<note::storage>();

} // namespace credence::persistence
