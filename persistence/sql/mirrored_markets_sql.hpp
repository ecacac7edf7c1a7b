#pragma once

#include "actors/market/market_lists.hpp"
#include "persistence/postgres/connection.hpp"

#include <optional>
#include <vector>

/// Lists over the markets in ether of the chain (0012_chain_records.sql), in the shapes of those of the API.
namespace credence::persistence {

/// These markets, in their order; those that are there.
std::vector<market::market_view> mirrored_views(connection& on, binary_array& ids, timestamp now, steady_time deadline);
market::stored_names read_mirrored(connection& on, const market::load_names& query, steady_time deadline);
std::vector<std::optional<market::market_moment>> read_mirrored(connection& on, const market::get_moments& query,
                                                                steady_time deadline);
std::vector<market::holding> read_mirrored(connection& on, const market::get_holdings& query, steady_time deadline);
market::holdings_value read_mirrored(connection& on, const market::get_holdings_value& query, steady_time deadline);
market::total_volume read_mirrored(connection& on, const market::get_volume& query, steady_time deadline);
/// `total` is 0 when there is no such market.
market::price_list read_mirrored(connection& on, const market::get_prices& query, steady_time deadline);
/// `total` is -1 when there is no such market.
market::trade_list read_mirrored(connection& on, const market::get_market_trades& query, steady_time deadline);
market::trade_list read_mirrored(connection& on, const market::get_activity& query, steady_time deadline);

} // namespace credence::persistence
