#pragma once

#include "actors/integrity/integrity_types.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/query_policy.hpp"

/// What an analysis of integrity looks at: statements and row mapping. All of it is read in pieces, by their keys.
namespace credence::persistence {

/// A piece of an analysis: only one is read at a time, and after everything that somebody looks at.
inline constexpr query_policy piece_of_analysis{lane::lists, weight::most};

integrity::extent read(connection& on, const integrity::load_extent& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<integrity::load_extent>) { return piece_of_analysis; }

integrity::votes_read read(connection& on, const integrity::load_votes_cast& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<integrity::load_votes_cast>) { return piece_of_analysis; }

integrity::ties_read read(connection& on, const integrity::load_ties& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<integrity::load_ties>) { return piece_of_analysis; }

integrity::joined_read read(connection& on, const integrity::load_joined& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<integrity::load_joined>) { return piece_of_analysis; }

} // namespace credence::persistence
