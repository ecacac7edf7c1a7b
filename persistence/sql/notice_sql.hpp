#pragma once

#include "actors/reputation/list_types.hpp"
#include "actors/reputation/notice_storage.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Notifications: statements and row mapping.
namespace credence::persistence {

template <>
struct sql_of<reputation::notices_read> : written_freely {
  static statements_used used();
  void add(const reputation::notices_read& done, global_seq seq, batch_statements& to);
};

/// What a profile is notified of, the newest first; one snapshot.
reputation::notice_list read(connection& on, const reputation::list_notices& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::list_notices> = list_of_many;

} // namespace credence::persistence
