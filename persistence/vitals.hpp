#pragma once

#include "persistence/postgres/connection.hpp"

#include <cstdint>

namespace credence::persistence {

/// What PostgreSQL says of itself, and an operator should see to before it stops.
struct vitals {
  std::int64_t connections = 0;     // of everybody
  std::int64_t connections_max = 0; // that it takes of others than superusers
  std::int64_t transaction_age_s =
    0; // of the oldest one of a client, or prepared one; of other roles only with the role pg_read_all_stats
  std::int64_t xid_age = 0;   // transactions, or multixacts, since the oldest one that is not frozen, in any database
  double vacuum_due = 0;      // dead rows of the table furthest behind, by those at which autovacuum begins
  std::int64_t bytes = 0;     // that the database takes
  bool archive_fails = false; // the newest attempt to archive the write-ahead log has failed
};

/// Needs no more rights than any role has. Throws `database_error`.
vitals read_vitals(connection& on, steady_time until);

} // namespace credence::persistence
