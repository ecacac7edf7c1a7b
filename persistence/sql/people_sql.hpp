#pragma once

#include "actors/people/lookup_types.hpp"
#include "actors/people/user_types.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/query_policy.hpp"

#include <vector>

/// Users and profiles as other people see them, and people by what others know of them.
namespace credence::persistence {

/// Complete users with these ids; those that are there, inside a transaction of the caller's.
std::vector<people::user_ptr> read_users_here(connection& on, const std::vector<user_id>& users, steady_time deadline);

/// A profile, of columns of `profiles`.
inline constexpr auto profile_fields =
  CREDENCE_FIELDS(people::profile_record, id, archived, created_at, updated_at, invites_available, invited_by);

} // namespace credence::persistence
