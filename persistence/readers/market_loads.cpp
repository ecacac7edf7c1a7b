#include "actors/market/market_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/market_lists_sql.hpp"
#include "persistence/sql/market_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<market::storage>();

} // namespace credence::persistence
