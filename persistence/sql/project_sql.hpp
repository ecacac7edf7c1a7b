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

// What an import asks as well.
project::stored_project read(connection& on, const project::load_project& query, milliseconds per_chunk);
period::stored_periods read(connection& on, const period::load_periods& query, steady_time deadline);
period::electorate read(connection& on, const period::load_electorate& query, steady_time deadline);

} // namespace credence::persistence
