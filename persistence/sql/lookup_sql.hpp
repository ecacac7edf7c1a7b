#pragma once

#include "actors/people/lookup_types.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/manner.hpp"

/// People by what others know of them: statements and row mapping.
namespace credence::persistence {

/// Whom each key leads to, in the order asked: one statement for all of them.
people::found_people read(connection& on, const people::find_people& query, steady_time deadline);
template <>
inline constexpr manner manner_of<people::find_people> = load_by_key;

/// The complete user of each key, in the order asked, null where there is none; one snapshot.
people::people_by_key read(connection& on, const people::get_people& query, steady_time deadline);
template <>
inline constexpr manner manner_of<people::get_people> = load_by_key;

/// Everything about the person of one key; one snapshot.
people::bundle_of read(connection& on, const people::get_bundle& query, steady_time deadline);
template <>
inline constexpr manner manner_of<people::get_bundle> = load_by_key;

/// A page of those whose names match best; one snapshot.
people::people_page read(connection& on, const people::search_people& query, steady_time deadline);
template <>
inline constexpr manner manner_of<people::search_people> = search;

} // namespace credence::persistence
