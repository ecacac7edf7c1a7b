#include "actors/wallets/wallet_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/wallet_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<wallets::storage>();

} // namespace credence::persistence
