#pragma once

#include "config/settings.hpp"
#include "persistence/postgres/connection.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/there.hpp"

#include <stop_token>

namespace credence::test {

/// The one cluster that the storage tests of this process share; started when it is down.
private_postgres& shared_postgres();

/// A new database of that cluster with the schema of this build: profiles 1..`profiles`
/// (each with its user of the same id), projects 1..`projects` of the users behind
/// them, and period 1 of 2026 open. Its connection string.
std::string fresh_database(int profiles = 20, int projects = 5);
/// The same, in which `sql` was run.
std::string filled_database(int profiles, int projects, const std::string& sql);

/// Settings for a store on that database, which waits for it as long as a busy machine takes.
settings::store store_settings(const std::string& url);
/// A connection for looking behind the scenes.
persistence::connection look_into(const std::string& url);
/// Runs statements there.
void run_sql(const std::string& url, const std::string& sql);
/// The state with which the database refuses `sql`, also at the end of a transaction; empty when it
/// takes it. Nothing stays.
std::string refusal_of(const std::string& url, const std::string& sql);
/// What `sql`, a scalar, comes to; 0 for null.
std::int64_t number_from(const std::string& url, const std::string& sql);
/// How many rows there are of what follows FROM.
inline std::int64_t how_many(const std::string& url, const std::string& from) {
  return number_from(url, "SELECT count(*) FROM " + from);
}
/// The numbers that `sql` finds in its one column, in its order.
std::vector<std::int64_t> numbers_from(persistence::connection& on, const std::string& sql);

/// While this lives, commits of the shared cluster wait for a standby that there is not.
struct waiting_for_a_standby {
  waiting_for_a_standby();
  waiting_for_a_standby(const waiting_for_a_standby&) = delete;
  waiting_for_a_standby& operator=(const waiting_for_a_standby&) = delete;
  ~waiting_for_a_standby();
};
/// Cancels every wait of a commit for a standby until it is `over`: what was committed is then on the primary alone.
void cancel_waits_for_a_standby(const std::stop_token& over);

/// Rows of tables that were read.
struct rows_read {
  std::int64_t walked = 0; // one after the other, by no index
  std::int64_t all = 0;    // by indexes as well
};
/// So far, by everybody; `on` tells the database first of those it has read. `tables`: their names in quotes, with
/// commas between.
rows_read rows_read_so_far(persistence::connection& on, const std::string& url, const std::string& tables);
/// While `run` read on `on`.
template <class F>
rows_read rows_read_by(persistence::connection& on, const std::string& url, const std::string& tables, F run) {
  const auto before = rows_read_so_far(on, url, tables);
  run();
  const auto after = rows_read_so_far(on, url, tables);
  return {after.walked - before.walked, after.all - before.all};
}

} // namespace credence::test
