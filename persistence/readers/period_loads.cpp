#include "actors/period/period_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/period_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<period::storage>();

} // namespace credence::persistence
