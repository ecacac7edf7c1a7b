#include "actors/integrity/integrity_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/integrity_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<integrity::storage>();

} // namespace credence::persistence
