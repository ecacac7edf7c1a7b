#pragma once

#include "actors/chain/chain_rows.hpp"
#include "persistence/postgres/connection.hpp"

/// Slashes that events make, read for the fold.
namespace credence::persistence {

/// Those of these ids, beside what is in `to`. Those of the API are none.
void read_slash_rows(connection& on, const chain::row_keys& keys, chain::chain_rows& to, steady_time deadline);
/// Those that are open, and end at or before that time.
void read_due_slashes(connection& on, chain::unix_time until, chain::chain_rows& to, steady_time deadline);

} // namespace credence::persistence
