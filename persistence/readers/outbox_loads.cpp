#include "actors/wallets/wallet_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/outbox_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<wallets::outbox_storage>();

} // namespace credence::persistence
