#include "actors/idempotency/idempotency_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/idempotency_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<idempotency::storage>();

} // namespace credence::persistence
