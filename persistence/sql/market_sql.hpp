#pragma once

#include "actors/market/market_storage.hpp"
#include "actors/wallet/wallet_storage.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Money and markets: statements and row mapping.
namespace credence::persistence {

extern const statement move_funds;
template <>
struct sql_of<wallet::funds_moved> : written_in_turn<wallet::funds_moved, move_funds> {};

/// Pays for it, then opens it.
template <>
struct sql_of<market::market_opened> : written_freely {
  static statements_used used();
  void add(const market::market_opened& opened, global_seq seq, batch_statements& to);
};

extern const statement insert_trades;
template <>
struct sql_of<market::traded> : written_together<market::traded, insert_trades> {};

/// The address in a column, null where there is none.
std::optional<address> maybe_address(const rows& from, int row, int column);
market::tier tier_from(std::string_view word);

/// Balances in the order asked, with the number they are as of; zero for who never had one.
std::vector<wallet::stored_wallet> read_wallets(connection& on, std::span<const wallet::load_wallet> whose, steady_time deadline);
wallet::stored_transfer read_transfer(connection& on, const wallet::load_transfer& asked, steady_time deadline);

/// What one profile holds of a market.
market::position read_position(connection& on, const market::load_position& asked, steady_time deadline);
/// The next positions of a market, of one snapshot.
market::stored_positions read_positions(connection& on, const market::load_positions& asked, steady_time deadline);
/// A market with its first positions, of one snapshot.
market::stored_market read_market(connection& on, const market::load_market& asked, steady_time deadline);
market::stored_window read_window(connection& on, const market::load_window& asked, steady_time deadline);
market::face read_face(connection& on, profile_id whose, steady_time deadline);
market::stored_trade read_trade(connection& on, const market::load_trade& asked, steady_time deadline);

} // namespace credence::persistence
