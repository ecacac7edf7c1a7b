#pragma once

#include "actors/period/period_types.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Voting periods and the electorate: statements and row mapping.
namespace credence::persistence {

/// The first statement closes exactly the period that is meant to be open; when another one is, the second is refused.
fact_sql_ptr sql_of(kind<period::period_advanced>);

/// All periods, oldest first.
period::stored_periods read(connection& on, const period::load_periods& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<period::load_periods>) { return load_by_key; }

/// How many profiles may vote, on how many projects.
period::electorate read(connection& on, const period::load_electorate& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<period::load_electorate>) { return load_in_pieces; }

constexpr number_column numbers_of(kind<period::period_advanced>) { return {"voting_periods"}; }

} // namespace credence::persistence
