#pragma once

#include "actors/slash/slash_storage.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Slashes and votes on them: statements and row mapping.
namespace credence::persistence {

fact_sql_ptr sql_of(kind<slash::slash_opened>);
fact_sql_ptr sql_of(kind<slash::slash_voted>);
fact_sql_ptr sql_of(kind<slash::slash_closed>);

/// Open slashes and what their votes come to, and subjects slashed lately, of one snapshot.
slash::stored_open_slashes read(connection& on, const slash::load_open_slashes& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<slash::load_open_slashes>) { return load_in_pieces; }

/// The next piece of a slash's ballots.
slash::stored_ballots read(connection& on, const slash::load_ballots& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<slash::load_ballots>) { return load_by_key; }

slash::xp_at_hand read(connection& on, const slash::load_xp_at_hand& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<slash::load_xp_at_hand>) { return load_by_key; }

std::optional<slash::slash_record> read(connection& on, const slash::get_slash& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<slash::get_slash>) { return load_by_key; }

/// A page of slashes, created last first, and how many there are.
slash::slash_page read(connection& on, const slash::find_slashes& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<slash::find_slashes>) { return list_of_many; } // all are counted

slash::stored_roles read(connection& on, const slash::load_roles& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<slash::load_roles>) { return list_a_page; }

constexpr number_column numbers_of(kind<slash::slash_opened>) { return {"slashes"}; }
constexpr number_column numbers_of(kind<slash::slash_voted>) { return {"slash_votes"}; }
constexpr number_column numbers_of(kind<slash::slash_closed>) { return {"slashes", "closed_seq"}; }

} // namespace credence::persistence
