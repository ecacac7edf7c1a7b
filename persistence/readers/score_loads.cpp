#include "actors/score/score_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/score_sql.hpp"

namespace credence::persistence {

template caf::message_handler handlers_of<score::storage>(reader_pool&);

} // namespace credence::persistence
