#include "actors/listing/listing_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/listing_sql.hpp"

namespace credence::persistence {

template caf::message_handler handlers_of<listing::storage>(reader_pool&);

} // namespace credence::persistence
