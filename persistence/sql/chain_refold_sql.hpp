#pragma once

#include "actors/chain/chain_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Stored events that are folded again, of kinds that are added and failed ones: statements and row mapping.
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

template <>
struct sql_of<chain::event_reprocessed> : written_freely {
  static statements_used used();
  void add(const chain::event_reprocessed& tried, global_seq, batch_statements& to);
};

chain::stored_reprocess read(connection& on, const chain::load_reprocess& question, steady_time deadline);
template <>
inline constexpr manner manner_of<chain::load_reprocess> = load_by_key;

/// Has failed events tried again by the server; how many there are. Nothing where no chain is stored.
std::optional<std::int64_t> reprocess_failed(connection& on, steady_time deadline);

/// An event that was tried again: behind which one, by which kinds.
struct reprocessed_place {
  std::int64_t event = 0, after = 0;
  std::string kinds; // with commas between them
};
/// All of them, in the order in which they were tried.
std::vector<reprocessed_place> read_reprocessed(connection& on, steady_time deadline);

} // namespace credence::persistence
