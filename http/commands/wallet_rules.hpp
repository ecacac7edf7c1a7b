#pragma once

#include "config/settings.hpp"
#include "http/api/wallets/wallet_rules.hpp"

#include <optional>

namespace credence::commands {

/// How actions of managed wallets become transactions, by the settings; nothing where no chain is followed. Throws
/// `ending` for functions that are declared wrongly.
std::optional<http::wallet_rules> wallet_rules_of(const settings::all& with);

} // namespace credence::commands
