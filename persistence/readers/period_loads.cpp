#include "actors/period/period_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/period_sql.hpp"

namespace credence::persistence {

template caf::message_handler handlers_of<period::storage>(reader_pool&);

} // namespace credence::persistence
