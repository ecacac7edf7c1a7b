#pragma once

#include "auth/wallet_keys_local.hpp"
#include "config/settings.hpp"

#include <memory>

namespace credence::commands {

/// The keys of managed wallets under the master keys of the settings; null where there is no master key, and so no
/// managed wallets. Throws an `ending` that says what is wrong with the master keys.
std::shared_ptr<auth::wallet_keys_local> open_wallet_keys(const settings::all& with);

/// Throws an `ending` where the master keys do not open the wallets that the database holds: whoever went on would seal
/// new ones under a key that is lost later. A database that is away is left to those who serve; each key is checked
/// when it is used.
void check_stored_wallets(const settings::all& with, const auth::wallet_keys_local& keys);

} // namespace credence::commands
