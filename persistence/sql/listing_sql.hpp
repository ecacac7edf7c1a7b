#pragma once

#include "actors/listing/listing_types.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/query_policy.hpp"

/// Listings: statements and row mapping.
namespace credence::persistence {

/// The next piece of the listings: each with its user, the number of its last vote and, if
/// asked for, its tallies; all of one snapshot. Throws `database_error`.
listing::stored_listings read(connection& on, const listing::load_listings& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<listing::load_listings>) { return list_of_many; }

} // namespace credence::persistence
