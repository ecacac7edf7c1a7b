#pragma once

#include "actors/chain/chain_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Failed events that are tried again: statements and row mapping.
namespace credence::persistence {

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
