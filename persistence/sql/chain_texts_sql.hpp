#pragma once

#include "actors/chain/chain_storage.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Texts that are read from contracts: statements and row mapping.
namespace credence::persistence {

template <>
struct sql_of<chain::texts_read> : written_freely {
  static statements_used used();
  void add(const chain::texts_read& change, global_seq, batch_statements& to);
};

chain::text_queue read(connection& on, const chain::load_text_queue& question, steady_time deadline);
template <>
inline constexpr manner manner_of<chain::load_text_queue> = load_by_key;

chain::texts_of_transaction read(connection& on, const chain::load_texts_of& question, steady_time deadline);
template <>
inline constexpr manner manner_of<chain::load_texts_of> = load_by_key;

/// How many texts there are of a kind, in a state and for a reason.
struct texts_counted {
  std::string kind, state, reason;
  std::int64_t texts = 0;
};
std::vector<texts_counted> count_texts(connection& on, steady_time deadline);
/// Has texts that could not be read tried again; how many.
std::int64_t retry_texts(connection& on, steady_time deadline);

} // namespace credence::persistence
