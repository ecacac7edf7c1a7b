#pragma once

#include "actors/project/project_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <map>
#include <tuple>

/// Votes, tallies and projects: statements and row mapping.
namespace credence::persistence {

extern const statement insert_votes;
template <>
struct sql_of<project::vote_cast> : written_together<project::vote_cast, insert_votes> {
  static statements_used used() { return {&insert_votes, &lone_vote}; }
  /// A batch that is one vote, as one statement: it proves ownership, leaves the batch's identity, checks the
  /// vote and inserts it. Nothing is written, and nothing raised, where `fence_sql` would refuse the batch or
  /// the schema the vote.
  static const statement lone_vote;
  /// Adds the vote to what `fence_sql::fill` put into `fence`; returns the statement for both.
  static const statement& lone(parameters& fence, const project::vote_cast& vote, global_seq seq);
};

/// When a day or period comes twice the last one counts: they are absolute figures in order.
template <>
struct sql_of<project::project_tallied> {
public:
  static statements_used used();
  void clear();
  void add(const project::project_tallied& change, global_seq, batch_statements&);
  void finish(batch_statements& to);

private:
  const parameters& finish_days();
  const parameters& finish_periods();
  const parameters& finish_rollups();

  using day_key = std::tuple<project_id, period_id, std::chrono::sys_days>;
  std::map<day_key, project::day_tally> days_;
  std::map<std::pair<project_id, period_id>, project::vote_weights> periods_;
  std::map<project_id, entity_seq> through_by_project_;
  binary_array project_{sql_type::int4};
  binary_array period_{sql_type::int4};
  binary_array day_{sql_type::date};
  binary_array bullish_{sql_type::int8};
  binary_array bearish_{sql_type::int8};
  binary_array bullish_weight_{sql_type::int8};
  binary_array bearish_weight_{sql_type::int8};
  binary_array of_project_{sql_type::int4};
  binary_array of_period_{sql_type::int4};
  binary_array period_bullish_{sql_type::int8};
  binary_array period_bearish_{sql_type::int8};
  binary_array rollup_project_{sql_type::int4};
  binary_array through_{sql_type::int4};
  parameters days_with_;
  parameters periods_with_;
  parameters rollups_with_;
};

/// A project and its votes as of one moment, in order of their number: those of the open period,
/// and from the period of the first vote on that is not tallied. Read in chunks, each under
/// `per_chunk`, so that memory holds one copy of the votes only. Throws `database_error`; also when
/// the numbers have a hole.
project::stored_project read(connection& on, const project::load_project& query, milliseconds per_chunk);
template <>
inline constexpr manner manner_of<project::load_project> = load_in_pieces;

/// The votes that it left out, likewise.
project::stored_history read(connection& on, const project::load_history& query, milliseconds per_chunk);
template <>
inline constexpr manner manner_of<project::load_history> = load_last;

template <>
inline constexpr number_column numbers_of<project::vote_cast>{"votes"};
} // namespace credence::persistence
