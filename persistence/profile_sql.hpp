#pragma once

#include "actors/profile/profile_types.hpp"
#include "persistence/connection.hpp"

/// Profiles: statements and row mapping.
namespace credence::persistence {

/// Whether the profile is there and live, every vote it has cast, and the last
/// global number that was committed when they were read. Throws `database_error`.
profile::stored_profile read_profile(connection& on, profile_id which, steady_time deadline);

} // namespace credence::persistence
