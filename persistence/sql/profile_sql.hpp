#pragma once

#include "actors/profile/profile_types.hpp"
#include "persistence/postgres/connection.hpp"

#include <span>
#include <vector>

/// Profiles: statements and row mapping. All throw `database_error`.
namespace credence::persistence {

/// Whether each profile is there and live, what it has cast in the period asked about, and the
/// last global number that was committed when they were read; in the order asked, of one snapshot.
std::vector<profile::stored_profile> read_profiles(connection& on, std::span<const profile::load_profile> which, steady_time deadline);

/// What voters have cast in a period, in the order asked.
profile::counted_votes read_counts(connection& on, const profile::count_votes& asked, steady_time deadline);

} // namespace credence::persistence
