#pragma once

#include "actors/chain/chain_storage.hpp"
#include "actors/chain/row_needs.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <deque>

/// The chain that is followed: statements and row mapping.
namespace credence::persistence {

/// A finished array as bytes, which `parameters` copy, as the statement outlives the array.
inline std::span<const std::byte> copied(binary_array& array) { return std::as_bytes(std::span{array.finish()}); }

template <>
inline constexpr std::span<const std::string_view> words_of<chain::event_status> = chain::event_status_names;

template <>
struct sql_of<chain::chain_begun> : written_freely {
  static statements_used used();
  void add(const chain::chain_begun& begun, global_seq, batch_statements& to);
};

/// Statements of its own, at their place among others: they move the tip, then write blocks, events, and the rows of
/// each block.
template <>
struct sql_of<chain::blocks_applied> {
  static statements_used used();
  void clear();
  void add(const chain::blocks_applied& step, global_seq, batch_statements& to);
  void finish(batch_statements&) {}

private:
  std::deque<fact_columns<chain::block_mark>> blocks_;
  std::deque<fact_columns<chain::stored_event>> events_;
};

template <>
struct sql_of<chain::blocks_undone> : written_freely {
  static statements_used used();
  void add(const chain::blocks_undone& back, global_seq, batch_statements& to);
};

template <>
struct sql_of<chain::blocks_tried> : written_freely {
  static statements_used used();
  void add(const chain::blocks_tried& change, global_seq, batch_statements& to);
};

/// Where following stands, of one snapshot.
chain::stored_follow read(connection& on, const chain::load_follow& query, steady_time deadline);
template <>
inline constexpr manner manner_of<chain::load_follow> = load_in_pieces;

/// The events of a transaction in the chain as it is.
chain::events_of_transaction read(connection& on, const chain::load_events& query, steady_time deadline);
template <>
inline constexpr manner manner_of<chain::load_events> = load_by_key;

chain::events_between read(connection& on, const chain::load_event_places& query, steady_time deadline);
template <>
inline constexpr manner manner_of<chain::load_event_places> = load_in_pieces;

/// Reads the rows in rounds, as those that are found lead to others.
chain::rows_of_step read(connection& on, const chain::load_chain_rows& query, steady_time deadline);
template <>
inline constexpr manner manner_of<chain::load_chain_rows> = load_by_key;

/// The rows of these keys, beside those that are in `to`.
void read_chain_rows(connection& on, const chain::row_keys& keys, chain::chain_rows& to, steady_time deadline);
/// Parameters of contracts and the last ids that were given out: all of them.
void read_chain_counters(connection& on, chain::chain_rows& to, steady_time deadline);
/// Stored events in their order, those with ids beyond `after`.
std::vector<chain::stored_event> read_events_after(connection& on, std::int64_t after, std::int32_t most,
                                                   steady_time deadline);
/// Events of rows with the columns of `chain_events`.
std::vector<chain::stored_event> events_in(const rows& found);

} // namespace credence::persistence
