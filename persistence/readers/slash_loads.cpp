#include "actors/slash/slash_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/slash_sql.hpp"

namespace credence::persistence {

template caf::message_handler handlers_of<slash::storage>(reader_pool&);

} // namespace credence::persistence
