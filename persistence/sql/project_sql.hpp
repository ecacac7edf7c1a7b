#pragma once

#include "actors/period/period_types.hpp"
#include "actors/project/project_storage.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Votes, tallies and projects: statements and row mapping.
namespace credence::persistence {

extern const statement insert_votes;
/// A batch that is one vote, as one statement: it proves ownership, leaves the batch's identity, checks the vote and
/// inserts it. Nothing is written, and nothing raised, where `fence_sql` would refuse the batch or the schema the vote.
extern const statement lone_vote;
/// Adds the vote to what `fence_sql::fill` put into `fence`: the parameters of `lone_vote`.
void add_lone_vote(parameters& fence, const project::vote_cast& vote, global_seq seq);

fact_sql_ptr sql_of(kind<project::vote_cast>);
fact_sql_ptr sql_of(kind<project::project_tallied>);

/// A project and its votes as of one moment, in order of their number: those of the open period,
/// and from the period of the first vote on that is not tallied. Read in chunks, each under
/// `per_chunk`, so that memory holds one copy of the votes only. Throws `database_error`; also when
/// the numbers have a hole.
project::stored_project read(connection& on, const project::load_project& query, milliseconds per_chunk);
constexpr query_policy query_policy_of(asked<project::load_project>) { return load_in_pieces; }

/// The votes that it left out, likewise.
project::stored_history read(connection& on, const project::load_history& query, milliseconds per_chunk);
constexpr query_policy query_policy_of(asked<project::load_history>) { return load_last; }

constexpr number_column numbers_of(kind<project::vote_cast>) { return {"votes"}; }

// Voting periods and the electorate: statements and row mapping.

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
