#include "actors/people/people_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/lookup_sql.hpp"
#include "persistence/sql/people_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<people::storage>();

} // namespace credence::persistence
