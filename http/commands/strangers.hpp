#pragma once

#include "config/settings.hpp"

#include <signal.h>

namespace credence::commands {

/// Whether the API may listen where others than this machine reach it: on a database that holds the demo's wallets
/// anybody could sign in as the people who own them. On such an address it waits until the database can be asked,
/// or one of `signals` (blocked by the caller) comes: false then. Throws an `ending` that says what would do.
bool may_serve_strangers(const settings::all& with, const sigset_t& signals);

} // namespace credence::commands
