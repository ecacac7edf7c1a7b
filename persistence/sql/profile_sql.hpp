#pragma once

#include "actors/profile/profile_types.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/manner.hpp"

#include <span>
#include <vector>

/// Profiles: statements and row mapping. All throw `database_error`.
namespace credence::persistence {

/// Whether each profile is there and live, what it has cast in the period asked about, and the
/// last global number that was committed when they were read; in the order asked, of one snapshot.
std::vector<profile::stored_profile> read(connection& on, std::span<const profile::load_profile> which,
                                          steady_time deadline);
template <>
inline constexpr manner manner_of<profile::load_profile> = load_in_groups;

/// What voters have cast in a period, in the order asked.
profile::counted_votes read(connection& on, const profile::count_votes& query, steady_time deadline);
template <>
inline constexpr manner manner_of<profile::count_votes> = load_by_key; // is a group itself

} // namespace credence::persistence
