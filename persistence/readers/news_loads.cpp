#include "actors/news/news_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/news_sql.hpp"

namespace credence::persistence {

template caf::message_handler handlers_of<news::storage>(reader_pool&);

} // namespace credence::persistence
