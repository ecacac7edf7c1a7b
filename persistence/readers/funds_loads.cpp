#include "actors/funds/funds_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/market_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<funds::storage>();

} // namespace credence::persistence
