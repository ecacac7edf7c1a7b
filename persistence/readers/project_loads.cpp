#include "actors/project/project_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/project_sql.hpp"

namespace credence::persistence {

template caf::message_handler handlers_of<project::storage>(reader_pool&);

} // namespace credence::persistence
