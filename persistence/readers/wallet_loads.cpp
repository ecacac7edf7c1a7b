#include "actors/wallets/wallet_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/wallet_sql.hpp"

namespace credence::persistence {

template caf::message_handler handlers_of<wallets::storage>(reader_pool&);

} // namespace credence::persistence
