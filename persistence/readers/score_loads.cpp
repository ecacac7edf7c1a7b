#include "actors/score/score_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/score_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<score::storage>();

} // namespace credence::persistence
