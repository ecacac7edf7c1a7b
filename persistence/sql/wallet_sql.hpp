#pragma once

#include "actors/wallets/wallet_storage.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Managed wallets.
namespace credence::persistence {

// -- sealing keys under a new master key, and what an operator is told of wallets ---------------

/// What became of some wallets, in the order of their ids.
struct rotated_piece {
  std::int64_t sealed = 0;             // under the new master key now
  std::vector<std::string> unreadable; // why some keys stayed as they are
  std::int64_t last = -1;              // the last wallet that was looked at
  bool more = false;                   // there may be others behind it
};
/// Seals keys anew that are under a master key before `version`, of at most `most` wallets behind `after` (-1: from the
/// first one on). `keys` seals under `version`. The rows stay locked until the transaction under way ends.
rotated_piece rotate_wallets(connection& on, wallets::wallet_keys& keys, std::int32_t version, std::int64_t after,
                             std::int32_t most, steady_time deadline);

/// How many wallets are under each master key, by version.
struct wallets_counted {
  std::int32_t version = 0;
  std::int64_t wallets = 0;
};
std::vector<wallets_counted> count_wallets(connection& on, steady_time deadline);

/// A wallet that is sealed under the oldest master key in use, and one under the newest.
std::vector<wallets::stored_wallet> wallets_of_ends(connection& on, steady_time deadline);

/// A wallet as an operator sees it.
struct listed_wallet {
  wallets::stored_wallet wallet;
  bool profile_archived = false;
};
/// Wallets behind `after`, by id; without their keys.
std::vector<listed_wallet> list_wallets(connection& on, std::int64_t after, std::int32_t most, steady_time deadline);

// The outbox of managed wallets: statements and row mapping.

} // namespace credence::persistence
