#include "actors/news/news_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/news_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<news::storage>();

} // namespace credence::persistence
