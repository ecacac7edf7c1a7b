#pragma once

#include "actors/people/user_types.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/manner.hpp"

#include <vector>

/// Users and profiles as other people see them: statements and row mapping.
namespace credence::persistence {

/// The short rows of profiles above `query.after`, or of those named, in order of id.
people::stored_people read(connection& on, const people::load_people& query, steady_time deadline);
template <>
inline constexpr manner manner_of<people::load_people> = load_by_key; // a page of the table that admits voters

/// Complete users of these profiles; those that are there, one snapshot.
people::stored_users read(connection& on, const people::load_users_of& query, steady_time deadline);
template <>
inline constexpr manner manner_of<people::load_users_of> = load_by_key;

/// Complete users with these ids; those that are there, one snapshot.
people::stored_users read(connection& on, const people::load_users& query, steady_time deadline);
template <>
inline constexpr manner manner_of<people::load_users> = load_by_key;
/// The same inside a transaction of the caller's.
std::vector<people::user_ptr> read_users_here(connection& on, const std::vector<user_id>& users, steady_time deadline);

} // namespace credence::persistence
