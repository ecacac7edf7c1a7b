#include "tests/persistence/database.hpp"

#include "persistence/migrations/migrate.hpp"
#include "persistence/postgres/column.hpp"
#include "tests/waiting.hpp"

#include <thread>

namespace credence::test {

namespace {

using namespace std::chrono_literals;

constexpr auto timeout = 180s;

/// A migrated database without data, made once; the others are copies.
const std::string& template_database() {
  static const std::string name = [] {
    std::string made = "credence_template";
    auto on = look_into(shared_postgres().url(made));
    persistence::migrate_up(on, persistence::deadline_in(timeout));
    return made;
  }();
  return name;
}

std::string filling(int profiles, int projects) {
  const auto people = std::to_string(profiles);
  const auto listings = std::to_string(projects);
  return "INSERT INTO users (id, display_name, username, avatar_url, score, status)"
         " SELECT n, 'User ' || n, 'user' || n, 'https://example.org/' || n || '.png', 1000 + n % 1000, 'ACTIVE'"
         " FROM generate_series(1, "
         + people + " + " + listings
         + ") n;"
           "INSERT INTO profiles (id, user_id, archived, created_at, updated_at, invites_available, api_access)"
           " SELECT n, n, false, now(), now(), 0, true FROM generate_series(1, "
         + people
         + ") n;"
           "INSERT INTO projects (id, user_id, userkey, status, is_promoted, show_archived, created_at, updated_at,"
           " comment_count) SELECT n, "
         + people + " + n, 'service:x.com:' || n, 'ACTIVE', false, true, now(), now(), 0 FROM generate_series(1, "
         + listings
         + ") n;"
           "INSERT INTO voting_periods (id, year, number, starts_at, ends_at, live_profiles, active_projects, seq)"
           " VALUES (1, 2026, 1, '2026-01-01', '2026-02-01', "
         + people + ", " + listings
         + ", 1);"
           "INSERT INTO shard_owners (shard, owner, epoch) VALUES (1, 'credence', 1)"
           " ON CONFLICT (shard) DO NOTHING;"
           "UPDATE shard_owners SET sequence = 1, last_seq = 1, batch = '00000000-0000-4000-8000-000000000001' WHERE "
           "shard = 1;";
}

} // namespace

private_postgres& shared_postgres() {
  static private_postgres one;
  if (one.processes().empty())
    one.start();
  return one;
}

std::string fresh_database(int profiles, int projects) {
  static int made = 0;
  auto& cluster = shared_postgres();
  const auto name = "test_" + std::to_string(++made);
  cluster.sql("CREATE DATABASE " + name + " TEMPLATE " + template_database(), "postgres");
  auto url = "host=" + cluster.directory().string() + " user=postgres dbname=" + name;
  run_sql(url, filling(profiles, projects));
  return url;
}

settings::store store_settings(const std::string& url) {
  settings::store how;
  how.database_url = secret{url};
  how.tidy_after = std::chrono::hours{24}; // what a test writes may have ended long ago
  how.statement_timeout = how.load_timeout = 20s;
  how.connect_timeout = 10s;
  return how;
}

persistence::connection look_into(const std::string& url) {
  persistence::session how;
  how.application_name = "credence-tests";
  how.statement_timeout = timeout;
  how.idle_in_transaction_timeout = timeout;
  return {secret{url}, how, timeout};
}

std::string filled_database(int profiles, int projects, const std::string& sql) {
  auto url = fresh_database(profiles, projects);
  run_sql(url, sql);
  return url;
}

void run_sql(const std::string& url, const std::string& sql) {
  look_into(url).exec(sql, persistence::deadline_in(timeout));
}

std::string refusal_of(const std::string& url, const std::string& sql) {
  auto on = look_into(url);
  const auto until = persistence::deadline_in(timeout);
  persistence::transaction undone{on, until};
  try {
    on.exec(sql, until);
    on.exec("SET CONSTRAINTS ALL IMMEDIATE", until);
  } catch (const persistence::database_error& why) {
    return why.sqlstate();
  }
  return {};
}

std::int64_t number_from(const std::string& url, const std::string& sql) {
  auto on = look_into(url);
  const auto found = on.exec_params(("SELECT (" + sql + ")::int8").c_str(), persistence::deadline_in(timeout));
  return found.empty() ? 0 : found.value<std::optional<std::int64_t>>().value_or(0);
}

std::vector<std::int64_t> numbers_from(persistence::connection& on, const std::string& sql) {
  const auto found =
    on.exec_params(("SELECT number FROM (" + sql + ") AS found (number)").c_str(), persistence::deadline_in(timeout));
  const persistence::column<std::int64_t> number{found, "number"};
  std::vector<std::int64_t> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back(number[i]);
  return out;
}

waiting_for_a_standby::waiting_for_a_standby() {
  auto& cluster = shared_postgres();
  cluster.sql("CREATE TABLE IF NOT EXISTS waits (n int4)", "postgres");
  cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "postgres");
  cluster.sql("SELECT pg_reload_conf()", "postgres");
  // It does some time after it was told to: commits until one has waited.
  const std::jthread canceller{[](const std::stop_token& over) { cancel_waits_for_a_standby(over); }};
  auto on = look_into("host=" + cluster.directory().string() + " user=postgres dbname=postgres");
  const auto until = persistence::deadline_in(timeout);
  try {
    while (steady_clock::now() < until) {
      persistence::transaction one{on, until};
      on.exec("INSERT INTO waits VALUES (1)", until);
      one.commit(until);
    }
  } catch (const persistence::database_error&) { // the wait was cancelled
  }
}

waiting_for_a_standby::~waiting_for_a_standby() {
  auto& cluster = shared_postgres();
  cluster.sql("ALTER SYSTEM RESET synchronous_standby_names", "postgres");
  cluster.sql("SELECT pg_reload_conf()", "postgres");
}

void cancel_waits_for_a_standby(const std::stop_token& over) {
  auto on = look_into("host=" + shared_postgres().directory().string() + " user=postgres dbname=postgres");
  while (!over.stop_requested()) {
    on.exec("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
            persistence::deadline_in(timeout));
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

rows_read rows_read_so_far(persistence::connection& on, const std::string& url, const std::string& tables) {
  on.exec("SELECT pg_stat_force_next_flush()", persistence::deadline_in(timeout));
  on.exec("SELECT 1", persistence::deadline_in(timeout));
  auto look = look_into(url);
  // A connection of before sends what it has read when it ends, and goes from this list after that.
  await("connections of before to end", [&] {
    return look
             .exec_params("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type ="
                          " 'client backend' AND pid NOT IN (pg_backend_pid(), $1::int4)",
                          persistence::parameters{}.int4(on.backend_pid()), persistence::deadline_in(timeout))
             .value<std::int64_t>()
           == 0;
  });
  const auto found = look.exec_params(("SELECT coalesce(sum(seq_tup_read), 0)::int8 AS walked, "
                                       "coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int8 AS read"
                                       " FROM pg_stat_user_tables WHERE relname IN ("
                                       + tables + ")")
                                        .c_str(),
                                      persistence::deadline_in(timeout));
  return {persistence::column<std::int64_t>{found, "walked"}[0], persistence::column<std::int64_t>{found, "read"}[0]};
}

} // namespace credence::test
