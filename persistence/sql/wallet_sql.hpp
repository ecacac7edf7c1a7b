#pragma once

#include "actors/wallets/wallet_storage.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Managed wallets.
namespace credence::persistence {

fact_sql_ptr sql_of(kind<wallets::wallet_made>);
fact_sql_ptr sql_of(kind<wallets::wallet_exported>);

/// The wallets of these profiles, in the order asked.
std::vector<wallets::stored_wallet> read(connection& on, std::span<const wallets::load_wallet> whose,
                                         steady_time deadline);
constexpr query_policy query_policy_of(asked<wallets::load_wallet>) { return load_in_groups; }

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

fact_sql_ptr sql_of(kind<wallets::transaction_stored>);
fact_sql_ptr sql_of(kind<wallets::transactions_moved>);

/// Open transactions, and what counts against the bounds, of one snapshot.
wallets::stored_outbox read(connection& on, const wallets::load_outbox& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<wallets::load_outbox>) { return load_by_key; }

/// Open transactions of many wallets as the chain's follower sees them.
wallets::followed_outbox read(connection& on, const wallets::load_followed& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<wallets::load_followed>) { return load_by_key; }

std::optional<wallets::outbox_row> read(connection& on, const wallets::load_transaction& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<wallets::load_transaction>) { return load_by_key; }

std::optional<wallets::outbox_row> read(connection& on, const wallets::load_call& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<wallets::load_call>) { return load_by_key; }

/// Newest first.
std::vector<wallets::wallet_transaction> read(connection& on, const wallets::find_transactions& query,
                                              steady_time deadline);
constexpr query_policy query_policy_of(asked<wallets::find_transactions>) { return list_a_page; }

constexpr number_column numbers_of(kind<wallets::transaction_stored>) { return {"wallet_transactions"}; }

} // namespace credence::persistence
