#pragma once

#include "actors/funds/funds_storage.hpp"
#include "actors/market/market_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <span>
#include <vector>

/// Money and markets: statements and row mapping.
namespace credence::persistence {

extern const statement move_funds;
template <>
struct sql_of<funds::funds_moved> : written_in_turn<funds::funds_moved, move_funds> {};

/// Pays for it, then opens it.
template <>
struct sql_of<market::market_opened> : written_freely {
  static statements_used used();
  void add(const market::market_opened& opened, global_seq seq, batch_statements& to);
};

extern const statement insert_trades;
template <>
struct sql_of<market::traded> : written_together<market::traded, insert_trades> {};

extern const statement insert_freezes;
template <>
struct sql_of<market::market_frozen_set> : written_in_turn<market::market_frozen_set, insert_freezes> {
  using after = types<market::traded>; // as the database takes no trade on a frozen market
};

/// Balances in the order asked, with the number they are as of; zero for who never had one.
std::vector<funds::stored_funds> read(connection& on, std::span<const funds::load_funds> whose, steady_time deadline);
template <>
inline constexpr manner manner_of<funds::load_funds> = load_in_groups;

funds::stored_transfer read(connection& on, const funds::load_transfer& query, steady_time deadline);
template <>
inline constexpr manner manner_of<funds::load_transfer> = load_by_key;

/// What one profile holds of a market.
market::position read(connection& on, const market::load_position& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::load_position> = load_by_key;

/// The next positions of a market, of one snapshot.
market::stored_positions read(connection& on, const market::load_positions& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::load_positions> = load_by_key;

/// A market with its first positions, of one snapshot.
market::stored_market read(connection& on, const market::load_market& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::load_market> = load_by_key;

market::stored_window read(connection& on, const market::load_window& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::load_window> = load_by_key;

market::face read(connection& on, const market::load_face& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::load_face> = load_by_key;

market::stored_trade read(connection& on, const market::load_trade& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::load_trade> = load_by_key;

template <>
inline constexpr number_column numbers_of<funds::funds_moved>{"wei_transfers"};
template <>
inline constexpr number_column numbers_of<market::market_opened>{"wei_transfers"}; // of what is paid for it
template <>
inline constexpr number_column numbers_of<market::traded>{"market_trades"};
template <>
inline constexpr number_column numbers_of<market::market_frozen_set>{"market_freezes"};
} // namespace credence::persistence
