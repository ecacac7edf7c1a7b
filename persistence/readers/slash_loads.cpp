#include "actors/slash/slash_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/slash_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<slash::storage>();

} // namespace credence::persistence
