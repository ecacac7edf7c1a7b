#pragma once

#include "actors/chain/chain_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <utility>
#include <vector>

/// Kinds that are added to the chain that is followed: statements and row mapping.
namespace credence::persistence {

template <>
struct sql_of<chain::kinds_added> : written_freely {
  static statements_used used();
  void add(const chain::kinds_added& change, global_seq, batch_statements& to);
};
template <>
struct sql_of<chain::events_replayed> : written_freely {
  static statements_used used();
  void add(const chain::events_replayed& piece, global_seq, batch_statements& to);
};

chain::stored_replay read(connection& on, const chain::load_replay& question, steady_time deadline);
template <>
inline constexpr manner manner_of<chain::load_replay> = load_in_pieces;

/// Kinds by the event after which they were added, in order.
std::vector<std::pair<std::int64_t, chain::record_kinds>> read_added_kinds(connection& on, steady_time deadline);

} // namespace credence::persistence
