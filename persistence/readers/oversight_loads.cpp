#include "actors/oversight/oversight_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/oversight_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<oversight::storage>();

} // namespace credence::persistence
