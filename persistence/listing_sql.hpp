#pragma once

#include "actors/listing/listing_types.hpp"
#include "persistence/connection.hpp"

/// Listings: statements and row mapping.
namespace credence::persistence {

/// Every listing with its user, its day tallies and the number of its last vote, in
/// order of id, all of one snapshot. Throws `database_error`.
listing::stored_listings read_listings(connection& on, steady_time deadline);

} // namespace credence::persistence
