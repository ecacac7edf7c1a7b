#include "actors/listing/listing_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/listing_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<listing::storage>();

} // namespace credence::persistence
