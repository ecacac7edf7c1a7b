#pragma once

#include "actors/chain/chain_rows.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/sql/words.hpp"

/// Rows that events of the broker, of projects, of the token and of markets make, read for the fold.
namespace credence::persistence {

inline chain::unix_time unix_time_of(timestamp at) {
  return {std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count()};
}

/// Posts, fees and credit of these keys, beside what is in `to`.
void read_broker_rows(connection& on, const chain::row_keys& keys, chain::chain_rows& to, steady_time deadline);
/// The same of projects, by their ids and by their users. Those of the API, and those that were taken back, are none.
void read_project_rows(connection& on, const chain::row_keys& keys, chain::chain_rows& to, steady_time deadline);

/// The same of balances and rewards.
void read_token_rows(connection& on, const chain::row_keys& keys, chain::chain_rows& to, steady_time deadline);
/// The same of markets, their trades and prices, positions and accounts.
void read_market_rows(connection& on, const chain::row_keys& keys, chain::chain_rows& to, steady_time deadline);

} // namespace credence::persistence
