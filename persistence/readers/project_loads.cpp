#include "actors/project/project_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/project_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<project::storage>();

} // namespace credence::persistence
