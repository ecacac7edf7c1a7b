#pragma once

#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"
#include "tests/example/note_storage.hpp"

/// Notes: how they are written and read.
namespace credence::persistence {

fact_sql_ptr sql_of(kind<note::note_created>);
fact_sql_ptr sql_of(kind<note::note_edited>);
fact_sql_ptr sql_of(kind<note::note_archived>);
constexpr number_column numbers_of(kind<note::note_created>) { return {"notes"}; }

} // namespace credence::persistence
