#pragma once

#include "actors/people/user_types.hpp"
#include "persistence/postgres/connection.hpp"

#include <vector>

/// Users and profiles as other people see them: statements and row mapping.
namespace credence::persistence {

/// The short rows of profiles above `asked.after`, or of those named, in order of id.
people::stored_people read_people(connection& on, const people::load_people& asked, steady_time deadline);

/// Complete users of these profiles; those that are there, one snapshot.
people::stored_users read_users_of(connection& on, const std::vector<profile_id>& profiles, steady_time deadline);
/// Complete users with these ids; those that are there, one snapshot.
people::stored_users read_users(connection& on, const std::vector<user_id>& users, steady_time deadline);
/// The same inside a transaction of the caller's.
std::vector<people::user_ptr> read_users_here(connection& on, const std::vector<user_id>& users,
                                              steady_time deadline);

/// What begins a transaction that sees one snapshot throughout.
inline constexpr const char* begin_snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

} // namespace credence::persistence
