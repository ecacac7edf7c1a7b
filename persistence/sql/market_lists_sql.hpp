#pragma once

#include "actors/market/market_storage.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/query_policy.hpp"

#include <optional>
#include <vector>

/// Lists over markets: statements and row mapping.
namespace credence::persistence {

/// Whose a market is, of a row of users.
inline constexpr auto face_fields =
  CREDENCE_FIELDS(market::face, (address, primary_address), avatar_url, score, (display_name, name), x_username);
/// A trade in a list, but for its number and who it was by.
inline constexpr auto trade_fields = joined_lists(
  CREDENCE_FIELDS(market::trade_record, (market_id, market)),
  field{"buys", flag(&market::trade_record::way, market::direction::buy, market::direction::sell)},
  field{"trusts", flag(&market::trade_record::side, market::vote_side::trust, market::vote_side::distrust)},
  CREDENCE_FIELDS(market::trade_record, votes, funds, at));

/// Markets and what they are found by, of columns that the lists of both sources have.
std::vector<market::market_view> views_from(const rows& from);
market::stored_names names_from(const rows& found);

/// The profile whose address this is, if any.
std::optional<profile_id> owner_of(connection& on, const address& who, steady_time deadline);

// Lists over the markets in ether of the chain (0012_chain_records.sql), in the shapes of those of the API.

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
