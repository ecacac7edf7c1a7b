#pragma once

#include "actors/reputation/activity_types.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/manner.hpp"

#include <vector>

/// Feeds: statements and row mapping.
namespace credence::persistence {

/// The users with these ids that are there, inside a transaction of the caller's; an id may be named twice.
reputation::named_users read_named_here(connection& on, std::vector<user_id> ids, steady_time deadline);

reputation::feed_page read(connection& on, const reputation::list_feed& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::list_feed> = list_of_many;

reputation::feed_page read(connection& on, const reputation::get_feed_rows& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::get_feed_rows> = list_a_page;

} // namespace credence::persistence
