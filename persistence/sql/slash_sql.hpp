#pragma once

#include "actors/slash/slash_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/verify/promises.hpp"
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
slash::stored_open_slashes read(connection& on, const slash::load_open_slashes& query, steady_time deadline);
template <>
inline constexpr manner manner_of<slash::load_open_slashes> = load_in_pieces;

/// The next piece of a slash's ballots.
slash::stored_ballots read(connection& on, const slash::load_ballots& query, steady_time deadline);
template <>
inline constexpr manner manner_of<slash::load_ballots> = load_by_key;

slash::xp_at_hand read(connection& on, const slash::load_xp_at_hand& query, steady_time deadline);
template <>
inline constexpr manner manner_of<slash::load_xp_at_hand> = load_by_key;

slash::found_slash read(connection& on, const slash::load_slash& query, steady_time deadline);
template <>
inline constexpr manner manner_of<slash::load_slash> = load_by_key;

/// A page of slashes, created last first, and how many there are.
slash::slash_page read(connection& on, const slash::find_slashes& query, steady_time deadline);
template <>
inline constexpr manner manner_of<slash::find_slashes> = list_a_page;

slash::stored_roles read(connection& on, const slash::load_roles& query, steady_time deadline);
template <>
inline constexpr manner manner_of<slash::load_roles> = list_a_page;

template <>
inline constexpr number_column numbers_of<slash::slash_opened>{"slashes"};
template <>
inline constexpr number_column numbers_of<slash::slash_voted>{"slash_votes"};
template <>
inline constexpr number_column numbers_of<slash::slash_closed>{"slashes", "closed_seq"};
} // namespace credence::persistence
