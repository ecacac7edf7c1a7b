#include "actors/chain/chain_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/chain_kinds_sql.hpp"
#include "persistence/sql/chain_reprocess_sql.hpp"
#include "persistence/sql/chain_sql.hpp"
#include "persistence/sql/chain_texts_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<chain::storage>();

} // namespace credence::persistence
