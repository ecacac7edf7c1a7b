#pragma once

#include "actors/profile/xp_types.hpp"
#include "persistence/connection.hpp"

#include <span>
#include <vector>

/// The ledger of XP: statements and row mapping.
namespace credence::persistence {

/// The tips of one batch as columns: one INSERT however many there are.
class tip_columns {
public:
  static constexpr const char* name = "insert_tips";
  static const char* const sql;

  void clear();
  void add(const profile::xp_tipped& tip, global_seq seq);
  std::size_t size() const noexcept { return size_; }
  /// Valid until the next change of this object.
  const parameters& finish();

private:
  std::array<binary_array*, 8> columns() {
    return {&from_, &to_, &amount_, &message_, &source_type_, &source_id_, &at_, &seq_};
  }

  std::size_t size_ = 0;
  binary_array from_{sql_type::int4};
  binary_array to_{sql_type::int4};
  binary_array amount_{sql_type::int8};
  binary_array message_{sql_type::text};
  binary_array source_type_{sql_type::text};
  binary_array source_id_{sql_type::int4};
  binary_array at_{sql_type::timestamptz};
  binary_array seq_{sql_type::int8};
  parameters with_;
};

/// What profiles have, in the order asked, with the number it is as of; 0 for one that does not exist.
std::vector<profile::stored_xp> read_xp(connection& on, std::span<const profile::load_xp> whose, steady_time deadline);
/// A page of tips, newest first, and how many there are.
profile::tip_list read_tips(connection& on, const profile::load_tips& asked, steady_time deadline);
/// A tip by its number, with the balances of now.
profile::stored_receipt read_receipt(connection& on, const profile::load_receipt& asked, steady_time deadline);
profile::tip_figures read_tip_figures(connection& on, profile_id of, steady_time deadline);

} // namespace credence::persistence
