#pragma once

#include "actors/wallets/outbox_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

/// The outbox of managed wallets: statements and row mapping.
namespace credence::persistence {

extern const statement store_transactions;

/// What replaces another one finds it stored, so each takes a statement.
template <>
struct sql_of<wallets::transaction_stored> : written_in_turn<wallets::transaction_stored, store_transactions> {
  using after = types<wallets::wallet_made>;
};
template <>
struct sql_of<wallets::transactions_moved> : written_freely {
  using after = types<wallets::transaction_stored>;
  static statements_used used();
  void add(const wallets::transactions_moved& change, global_seq, batch_statements& to);
};

/// Open transactions, and what counts against the bounds, of one snapshot.
wallets::stored_outbox read(connection& on, const wallets::load_outbox& query, steady_time deadline);
template <>
inline constexpr manner manner_of<wallets::load_outbox> = load_by_key;

/// Open transactions of many wallets as the chain's follower sees them.
wallets::followed_outbox read(connection& on, const wallets::load_followed& query, steady_time deadline);
template <>
inline constexpr manner manner_of<wallets::load_followed> = load_by_key;

wallets::found_transaction read(connection& on, const wallets::load_transaction& query, steady_time deadline);
template <>
inline constexpr manner manner_of<wallets::load_transaction> = load_by_key;

wallets::found_transaction read(connection& on, const wallets::load_call& query, steady_time deadline);
template <>
inline constexpr manner manner_of<wallets::load_call> = load_by_key;

/// Newest first.
std::vector<wallets::wallet_transaction> read(connection& on, const wallets::find_transactions& query,
                                              steady_time deadline);
template <>
inline constexpr manner manner_of<wallets::find_transactions> = list_a_page;

template <>
inline constexpr number_column numbers_of<wallets::transaction_stored>{"wallet_transactions"};
} // namespace credence::persistence
