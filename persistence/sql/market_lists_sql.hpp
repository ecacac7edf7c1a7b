#pragma once

#include "actors/market/market_lists.hpp"
#include "persistence/postgres/connection.hpp"

/// Lists over markets: statements and row mapping.
namespace credence::persistence {

market::stored_names read_names(connection& on, const market::load_names& asked, steady_time deadline);
std::vector<market::market_view> read_markets(connection& on, const market::get_markets& asked, steady_time deadline);
/// `total` is 0 when there is no such market.
market::price_list read_prices(connection& on, const market::get_prices& asked, steady_time deadline);
/// `total` is -1 when there is no such market.
market::trade_list read_market_trades(connection& on, const market::get_market_trades& asked, steady_time deadline);
market::trade_list read_activity(connection& on, const market::get_activity& asked, steady_time deadline);
std::vector<market::holding> read_holdings(connection& on, const market::get_holdings& asked, steady_time deadline);
market::holdings_value read_holdings_value(connection& on, const market::get_holdings_value& asked, steady_time deadline);
market::total_volume read_volume(connection& on, const market::get_volume& asked, steady_time deadline);

/// The next part of what the boards count, of one snapshot.
market::stored_boards read_boards(connection& on, const market::load_boards& asked, steady_time deadline);
market::stored_accounts read_accounts(connection& on, const market::load_accounts& asked, steady_time deadline);

} // namespace credence::persistence
