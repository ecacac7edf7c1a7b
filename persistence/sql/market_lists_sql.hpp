#pragma once

#include "actors/market/market_lists.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/manner.hpp"

#include <optional>
#include <vector>

/// Lists over markets: statements and row mapping.
namespace credence::persistence {

/// Markets and what they are found by, of columns that the lists of both sources have.
std::vector<market::market_view> views_from(const rows& from);
market::stored_names names_from(const rows& found);

/// The profile whose address this is, if any.
std::optional<profile_id> owner_of(connection& on, const address& who, steady_time deadline);

market::stored_names read(connection& on, const market::load_names& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::load_names> = list_of_many;

std::vector<market::market_view> read(connection& on, const market::get_markets& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::get_markets> = list_a_page;

std::vector<market::market_view> read(connection& on, const market::get_ranked_markets& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::get_ranked_markets> = list_of_many;

/// `total` is 0 when there is no such market.
market::price_list read(connection& on, const market::get_prices& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::get_prices> = list_a_page;

/// Empty when there is no such market.
std::vector<std::optional<market::market_moment>> read(connection& on, const market::get_moments& query,
                                                       steady_time deadline);
template <>
inline constexpr manner manner_of<market::get_moments> = list_of_many;

/// `total` is -1 when there is no such market.
market::trade_list read(connection& on, const market::get_market_trades& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::get_market_trades> = list_a_page;

market::trade_list read(connection& on, const market::get_activity& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::get_activity> = list_a_page;

std::vector<market::holding> read(connection& on, const market::get_holdings& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::get_holdings> = list_a_page;

market::holdings_value read(connection& on, const market::get_holdings_value& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::get_holdings_value> = list_a_page;

market::total_volume read(connection& on, const market::get_volume& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::get_volume> = list_a_page;

/// The next part of what the boards count, of one snapshot.
market::stored_boards read(connection& on, const market::load_boards& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::load_boards> = list_of_many;

/// Of the markets of the chain only (mirrored_markets_sql.cpp).
market::get_configs::answer_type read(connection& on, const market::get_configs& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::get_configs> = list_a_page;
std::vector<market::profit_row> read(connection& on, const market::load_mirrored_profits& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::load_mirrored_profits> = list_of_many;
market::holder_page read(connection& on, const market::load_mirrored_holders& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::load_mirrored_holders> = list_a_page;

market::stored_accounts read(connection& on, const market::load_accounts& query, steady_time deadline);
template <>
inline constexpr manner manner_of<market::load_accounts> = list_a_page;

} // namespace credence::persistence
