#include "actors/funds/funds_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/market_sql.hpp"

namespace credence::persistence {

template caf::message_handler handlers_of<funds::storage>(reader_pool&);

} // namespace credence::persistence
