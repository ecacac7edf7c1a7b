#pragma once

#include "actors/chain/chain_rows.hpp"
#include "persistence/postgres/connection.hpp"

namespace credence::persistence {

/// The vouches and rewards of these keys, as far as events made them.
void read_vouch_rows(connection& on, const chain::row_keys& keys, chain::chain_rows& to, steady_time deadline);

} // namespace credence::persistence
