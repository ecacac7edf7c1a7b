#include "persistence/vitals.hpp"

#include "persistence/postgres/column.hpp"

namespace credence::persistence {

namespace {

/// A table with few rows is never far behind: its threshold counts as 20,000 at least.
constexpr auto vitals_sql = R"(
SELECT (SELECT sum(numbackends)::int8 FROM pg_stat_database) AS connections,
  current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8 AS connections_max,
  coalesce(extract(epoch FROM clock_timestamp() - least(
    (SELECT min(xact_start) FROM pg_stat_activity WHERE backend_type = 'client backend'),
    (SELECT min(prepared) FROM pg_prepared_xacts)))::int8, 0) AS transaction_age,
  (SELECT max(greatest(age(datfrozenxid), mxid_age(datminmxid)))::int8 FROM pg_database WHERE datallowconn) AS xid_age,
  (SELECT coalesce(max(s.n_dead_tup / greatest(20000, current_setting('autovacuum_vacuum_threshold')::float8
      + current_setting('autovacuum_vacuum_scale_factor')::float8 * c.reltuples)), 0)
    FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
    WHERE c.reloptions IS NULL OR NOT c.reloptions @> '{autovacuum_enabled=off}') AS vacuum_due,
  (SELECT coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) FROM pg_stat_archiver) AS archive_fails,
  pg_database_size(current_database()) AS bytes)";

} // namespace

vitals read_vitals(connection& on, steady_time until) {
  const auto said = on.run(vitals_sql, until);
  vitals out;
  out.connections = said.first<std::int64_t>("connections");
  out.connections_max = said.first<std::int64_t>("connections_max");
  out.transaction_age_s = said.first<std::int64_t>("transaction_age");
  out.xid_age = said.first<std::int64_t>("xid_age");
  out.vacuum_due = said.first<double>("vacuum_due");
  out.archive_fails = said.first<bool>("archive_fails");
  out.bytes = said.first<std::int64_t>("bytes");
  return out;
}

} // namespace credence::persistence
