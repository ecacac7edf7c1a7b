#pragma once

#include "actors/wallets/wallet_storage.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

/// The outbox of managed wallets: statements and row mapping.
namespace credence::persistence {

fact_sql_ptr sql_of(kind<wallets::transaction_stored>);
fact_sql_ptr sql_of(kind<wallets::transactions_moved>);

/// Open transactions, and what counts against the bounds, of one snapshot.
wallets::stored_outbox read(connection& on, const wallets::load_outbox& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<wallets::load_outbox>) { return load_by_key; }

/// Open transactions of many wallets as the chain's follower sees them.
wallets::followed_outbox read(connection& on, const wallets::load_followed& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<wallets::load_followed>) { return load_by_key; }

wallets::found_transaction read(connection& on, const wallets::load_transaction& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<wallets::load_transaction>) { return load_by_key; }

wallets::found_transaction read(connection& on, const wallets::load_call& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<wallets::load_call>) { return load_by_key; }

/// Newest first.
std::vector<wallets::wallet_transaction> read(connection& on, const wallets::find_transactions& query,
                                              steady_time deadline);
constexpr query_policy query_policy_of(asked<wallets::find_transactions>) { return list_a_page; }

constexpr number_column numbers_of(kind<wallets::transaction_stored>) { return {"wallet_transactions"}; }

} // namespace credence::persistence
