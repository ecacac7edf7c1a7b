#include "actors/oversight/oversight_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/oversight_sql.hpp"

namespace credence::persistence {

template caf::message_handler handlers_of<oversight::storage>(reader_pool&);

} // namespace credence::persistence
