#pragma once

#include "actors/funds/funds_types.hpp"
#include "actors/market/market_storage.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <span>
#include <vector>

/// Money and markets: statements and row mapping.
namespace credence::persistence {

fact_sql_ptr sql_of(kind<funds::funds_moved>);
fact_sql_ptr sql_of(kind<market::market_opened>);
fact_sql_ptr sql_of(kind<market::traded>);
fact_sql_ptr sql_of(kind<market::market_frozen_set>);

/// Balances in the order asked, with the number they are as of; zero for who never had one.
std::vector<funds::stored_funds> read(connection& on, std::span<const funds::load_funds> whose, steady_time deadline);
constexpr query_policy query_policy_of(asked<funds::load_funds>) { return load_in_groups; }

funds::stored_transfer read(connection& on, const funds::load_transfer& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<funds::load_transfer>) { return load_by_key; }

/// What one profile holds of a market.
market::position read(connection& on, const market::load_position& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<market::load_position>) { return load_by_key; }

/// The next positions of a market, of one snapshot.
market::stored_positions read(connection& on, const market::load_positions& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<market::load_positions>) { return load_by_key; }

/// A market with its first positions, of one snapshot.
market::stored_market read(connection& on, const market::load_market& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<market::load_market>) { return load_by_key; }

market::stored_window read(connection& on, const market::load_window& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<market::load_window>) { return load_by_key; }

market::face read(connection& on, const market::load_face& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<market::load_face>) { return load_by_key; }

market::stored_trade read(connection& on, const market::load_trade& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<market::load_trade>) { return load_by_key; }

constexpr number_column numbers_of(kind<funds::funds_moved>) { return {"wei_transfers"}; }
constexpr number_column numbers_of(kind<market::market_opened>) { return {"wei_transfers"}; } // of what is paid for it
constexpr number_column numbers_of(kind<market::traded>) { return {"market_trades"}; }
constexpr number_column numbers_of(kind<market::market_frozen_set>) { return {"market_freezes"}; }

} // namespace credence::persistence
