#pragma once

#include "actors/period/period_types.hpp"
#include "persistence/connection.hpp"

/// Voting periods and the electorate: statements and row mapping.
namespace credence::persistence {

/// The two statements of an advance. The first closes exactly the period that is
/// meant to be open; when another one is, the second is refused.
struct period_advance_sql {
  static constexpr const char* close_name = "close_period";
  static constexpr const char* open_name = "open_period";
  static const char* const close_sql;
  static const char* const open_sql;
  static parameters close_with(const period::period_advanced& change);
  static parameters open_with(const period::period_advanced& change, global_seq seq);
};

/// All periods, oldest first.
period::stored_periods read_periods(connection& on, steady_time deadline);
/// How many profiles may vote, on how many projects.
period::electorate read_electorate(connection& on, steady_time deadline);

} // namespace credence::persistence
