#pragma once

#include "persistence/sql/reputation_sql.hpp"

/// Human verification: statements and row mapping.
namespace credence::persistence {

template <>
struct sql_of<reputation::verification_decided> : written_freely {
  static statements_used used();
  void add(const reputation::verification_decided& done, global_seq seq, batch_statements& to);
};

/// Those of the profiles that are there, in any order.
std::vector<reputation::verification_row> read_verifications_here(connection& on, const std::set<profile_id>& which,
                                                                  steady_time deadline);

reputation::verification_standing read(connection& on, const reputation::load_verification& query,
                                       steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::load_verification> = load_by_key;

} // namespace credence::persistence
