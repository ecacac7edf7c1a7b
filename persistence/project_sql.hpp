#pragma once

#include "actors/project/project_types.hpp"
#include "persistence/connection.hpp"

#include <map>
#include <tuple>

/// Votes, tallies and projects: statements and row mapping.
namespace credence::persistence {

/// The votes of one batch as columns: one INSERT however many there are.
class vote_columns {
public:
  static constexpr const char* name = "insert_votes";
  static const char* const sql;

  vote_columns();
  void clear();
  void add(const project::vote_cast& vote, global_seq seq);
  std::size_t size() const noexcept { return size_; }
  /// Valid until the next change of this object.
  const parameters& finish();

private:
  std::size_t size_ = 0;
  binary_array project_{sql_type::int4};
  binary_array voter_{sql_type::int4};
  binary_array number_{sql_type::int4};
  binary_array period_{sql_type::int4};
  binary_array bullish_{sql_type::boolean};
  binary_array reason_{sql_type::text};
  binary_array cast_at_{sql_type::timestamptz};
  binary_array seq_{sql_type::int8};
  binary_array weight_{sql_type::int2};
  parameters with_;
};

/// A batch that is one vote, as one statement: it proves ownership, leaves the batch's identity, checks the
/// vote and inserts it. Nothing is written, and nothing raised, where `fence_sql` would refuse the batch or
/// the schema the vote.
struct lone_vote_sql {
  static constexpr const char* name = "lone_vote";
  static const char* const sql;
  /// `fence` holds what `fence_sql::fill` put there.
  static void add(parameters& fence, const project::vote_cast& vote, global_seq seq);
};

/// The tallies of one batch. When a day or period comes twice the last one counts: they
/// are absolute figures in order.
class tally_columns {
public:
  static constexpr const char* days_name = "upsert_tallies";
  static constexpr const char* periods_name = "upsert_period_tallies";
  static constexpr const char* rollups_name = "upsert_rollups";
  static const char* const days_sql;
  static const char* const periods_sql;
  static const char* const rollups_sql;

  void clear();
  void add(const project::project_tallied& change);
  bool empty() const noexcept { return through_by_project_.empty(); }
  bool has_days() const noexcept { return !days_.empty(); }
  bool has_periods() const noexcept { return !periods_.empty(); }
  /// All valid until the next change of this object.
  const parameters& finish_days();
  const parameters& finish_periods();
  const parameters& finish_rollups();

private:
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
project::stored_project read_project(connection& on, project_id which, milliseconds per_chunk);
/// The votes that it left out, likewise.
project::stored_history read_history(connection& on, const project::load_history& asked, milliseconds per_chunk);

} // namespace credence::persistence
