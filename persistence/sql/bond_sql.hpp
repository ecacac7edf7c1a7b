#pragma once

#include "persistence/sql/reputation_sql.hpp"

/// Bonds: statements and row mapping.
namespace credence::persistence {

/// Each in its turn, with the subject that comes with it before it. Triggers derive who is verified (`count_bonds`,
/// 0006_records.sql).
template <>
struct sql_of<reputation::bond_created> : written_freely {
  static statements_used used();
  void add(const reputation::bond_created& fresh, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::bond_archived> : written_freely {
  static statements_used used();
  void add(const reputation::bond_archived& done, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::bond_expiration_set> : written_freely {
  static statements_used used();
  void add(const reputation::bond_expiration_set& done, global_seq seq, batch_statements& to);
};

/// Those of these ids that are there, in any order.
std::vector<reputation::bond_record> read_bonds_here(connection& on, const std::set<reputation::bond_id>& which,
                                                     steady_time deadline);
/// The newest about a user, and the users of their authors in the same order.
std::vector<reputation::bond_record> read_bonds_about_here(connection& on, user_id who, std::vector<user_id>& authors,
                                                           steady_time deadline);

reputation::found_bond read(connection& on, const reputation::load_bond& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::load_bond> = load_by_key;

template <>
inline constexpr number_column numbers_of<reputation::bond_created>{"bonds"};

} // namespace credence::persistence
