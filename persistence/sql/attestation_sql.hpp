#pragma once

#include "persistence/sql/reputation_sql.hpp"

/// Attestations: statements and row mapping.
namespace credence::persistence {

template <>
struct sql_of<reputation::account_attested> : written_freely {
  static statements_used used();
  void add(const reputation::account_attested& done, global_seq seq, batch_statements& to);
};
template <>
struct sql_of<reputation::attestation_archived> : written_freely {
  static statements_used used();
  void add(const reputation::attestation_archived& done, global_seq seq, batch_statements& to);
};

/// The rows with these ids, and those that say whose some accounts are; each once, in any order.
std::vector<reputation::attestation_row>
read_attestations_here(connection& on, const std::set<reputation::attestation_id>& which,
                       const std::map<reputation::subject_key, reputation::named_subject>& accounts,
                       steady_time deadline);
/// Those of the accounts that an open slash names, or whose user.
std::vector<reputation::subject_key>
read_slashed_here(connection& on, const std::map<reputation::subject_key, reputation::named_subject>& accounts,
                  steady_time deadline);

reputation::found_attestation read(connection& on, const reputation::load_attestation& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::load_attestation> = load_by_key;

} // namespace credence::persistence
