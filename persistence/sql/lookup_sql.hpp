#pragma once

#include "actors/people/lookup_types.hpp"
#include "persistence/postgres/connection.hpp"

/// People by what others know of them: statements and row mapping.
namespace credence::persistence {

/// Whom each key leads to, in the order asked: one statement for all of them.
people::found_people find_people(connection& on, const people::find_people& asked, steady_time deadline);

/// The complete user of each key, in the order asked, null where there is none; one snapshot.
people::people_by_key read_people_by_key(connection& on, const people::get_people& asked, steady_time deadline);

/// Everything about the person of one key; one snapshot.
people::bundle_of read_bundle(connection& on, const people::get_bundle& asked, steady_time deadline);

/// A page of those whose names match best; one snapshot.
people::people_page search_people(connection& on, const people::search_people& asked, steady_time deadline);

} // namespace credence::persistence
