#pragma once

#include "actors/period/period_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Voting periods and the electorate: statements and row mapping.
namespace credence::persistence {

/// The first statement closes exactly the period that is meant to be open; when another one is, the second is refused.
template <>
struct sql_of<period::period_advanced> : written_freely {
  static statements_used used();
  void add(const period::period_advanced& change, global_seq seq, batch_statements& to);
};

/// All periods, oldest first.
period::stored_periods read(connection& on, const period::load_periods& query, steady_time deadline);
template <>
inline constexpr manner manner_of<period::load_periods> = load_by_key;

/// How many profiles may vote, on how many projects.
period::electorate read(connection& on, const period::load_electorate& query, steady_time deadline);
template <>
inline constexpr manner manner_of<period::load_electorate> = load_in_pieces;

template <>
inline constexpr number_column numbers_of<period::period_advanced>{"voting_periods"};
} // namespace credence::persistence
