#pragma once

#include "actors/slash/slash_types.hpp"
#include "persistence/credential_sql.hpp"

/// Slashes and votes on them: statements and row mapping.
namespace credence::persistence {

/// One statement each, in the order in which they were decided.
struct slash_sql {
  using statement = credential_sql::statement;
  static const statement open;
  static const statement vote;
  static const statement close;
  static const std::array<const statement*, 3> all;

  static parameters open_with(const slash::slash_opened& change, global_seq seq);
  static parameters vote_with(const slash::slash_voted& change, global_seq seq);
  static parameters close_with(const slash::slash_closed& change, global_seq seq);
};

/// Open slashes with the votes that count, and subjects slashed lately, of one snapshot.
slash::stored_open_slashes read_open_slashes(connection& on, const slash::load_open_slashes& asked,
                                             steady_time deadline);
slash::found_slash read_slash(connection& on, slash_id which, steady_time deadline);
/// A page of slashes, created last first, and how many there are.
slash::slash_page read_slashes(connection& on, const slash::find_slashes& asked, steady_time deadline);
slash::stored_roles read_roles(connection& on, const slash::load_roles& asked, steady_time deadline);

} // namespace credence::persistence
