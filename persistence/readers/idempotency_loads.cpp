#include "actors/idempotency/idempotency_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/idempotency_sql.hpp"

namespace credence::persistence {

template caf::message_handler handlers_of<idempotency::storage>(reader_pool&);

} // namespace credence::persistence
