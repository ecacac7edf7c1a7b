#include "actors/integrity/integrity_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/integrity_sql.hpp"

namespace credence::persistence {

template caf::message_handler handlers_of<integrity::storage>(reader_pool&);

} // namespace credence::persistence
