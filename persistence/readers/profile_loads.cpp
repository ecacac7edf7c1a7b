#include "actors/profile/profile_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/credential_sql.hpp"
#include "persistence/sql/profile_sql.hpp"
#include "persistence/sql/xp_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<profile::storage>();

} // namespace credence::persistence
