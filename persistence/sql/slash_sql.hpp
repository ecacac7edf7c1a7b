#pragma once

#include "actors/slash/slash_storage.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Slashes and votes on them: statements and row mapping.
namespace credence::persistence {

extern const statement open_slash;
extern const statement vote_on_slash;

/// Opening and closing take one statement each, votes between two of these one together.
template <>
struct sql_of<slash::slash_opened> : written_in_turn<slash::slash_opened, open_slash> {
  using after = types<slash::slash_voted>;
};
template <>
struct sql_of<slash::slash_voted> : written_together<slash::slash_voted, vote_on_slash> {};
template <>
struct sql_of<slash::slash_closed> : written_freely {
  using after = types<slash::slash_voted>;
  static statements_used used();
  void add(const slash::slash_closed& closed, global_seq seq, batch_statements& to);
};

/// Open slashes and what their votes come to, and subjects slashed lately, of one snapshot.
slash::stored_open_slashes read_open_slashes(connection& on, const slash::load_open_slashes& asked,
                                             steady_time deadline);
/// The next piece of a slash's ballots.
slash::stored_ballots read_ballots(connection& on, const slash::load_ballots& asked, steady_time deadline);
slash::found_slash read_slash(connection& on, slash_id which, steady_time deadline);
/// A page of slashes, created last first, and how many there are.
slash::slash_page read_slashes(connection& on, const slash::find_slashes& asked, steady_time deadline);
slash::stored_roles read_roles(connection& on, const slash::load_roles& asked, steady_time deadline);

} // namespace credence::persistence
