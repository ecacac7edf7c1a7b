#pragma once

#include "actors/people/lookup_types.hpp"
#include "actors/people/user_types.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/sql/words.hpp"

#include <vector>

/// Users and profiles as other people see them, and people by what others know of them.
namespace credence::persistence {

/// The short rows of profiles above `query.after`, or of those named, in order of id.
people::stored_people read(connection& on, const people::load_people& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<people::load_people>) {
  return load_by_key;
} // a page of the table that admits voters

/// Complete users of these profiles; those that are there, one snapshot.
people::stored_users read(connection& on, const people::load_users_of& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<people::load_users_of>) { return load_by_key; }

/// Complete users with these ids; those that are there, one snapshot.
people::stored_users read(connection& on, const people::load_users& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<people::load_users>) { return load_by_key; }
/// The same inside a transaction of the caller's.
std::vector<people::user_ptr> read_users_here(connection& on, const std::vector<user_id>& users, steady_time deadline);

/// Whom each key leads to, in the order asked: one statement for all of them.
people::found_people read(connection& on, const people::find_people& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<people::find_people>) { return load_by_key; }

/// The complete user of each key, in the order asked, null where there is none; one snapshot.
people::people_by_key read(connection& on, const people::get_people& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<people::get_people>) { return load_by_key; }

/// Everything about the person of one key; one snapshot.
people::bundle_of read(connection& on, const people::get_bundle& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<people::get_bundle>) { return load_by_key; }

/// A page of those whose names match best; one snapshot.
people::people_page read(connection& on, const people::search_people& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<people::search_people>) { return search; }

/// A profile, of columns of `profiles`.
inline constexpr field_list profile_fields{field{"id", &people::profile_record::id},
                                           field{"archived", &people::profile_record::archived},
                                           field{"created_at", &people::profile_record::created_at},
                                           field{"updated_at", &people::profile_record::updated_at},
                                           field{"invites_available", &people::profile_record::invites_available},
                                           field{"invited_by", &people::profile_record::invited_by}};

} // namespace credence::persistence
