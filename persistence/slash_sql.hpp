#pragma once

#include "actors/slash/slash_types.hpp"
#include "persistence/credential_sql.hpp"

/// Slashes and votes on them: statements and row mapping.
namespace credence::persistence {

/// Opening and closing take one statement each, votes between two of these one together.
struct slash_sql {
  using statement = credential_sql::statement;
  static const statement open;
  static const statement vote;
  static const statement close;
  static const std::array<const statement*, 3> all;

  static parameters open_with(const slash::slash_opened& change, global_seq seq);
  static parameters close_with(const slash::slash_closed& change, global_seq seq);
};

/// Votes as columns: one INSERT however many there are.
class slash_vote_columns {
public:
  void add(const slash::slash_voted& vote, global_seq seq);
  bool empty() const noexcept { return size_ == 0; }
  /// Valid until the next change of this object.
  const parameters& finish();

private:
  std::size_t size_ = 0;
  binary_array slash_{sql_type::int4};
  binary_array number_{sql_type::int4};
  binary_array voter_{sql_type::int4};
  binary_array for_slash_{sql_type::boolean};
  binary_array weight_{sql_type::int4};
  binary_array cast_at_{sql_type::timestamptz};
  binary_array seq_{sql_type::int8};
  parameters with_;
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
