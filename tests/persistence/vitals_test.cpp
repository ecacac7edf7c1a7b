#include "persistence/vitals.hpp"

#include "tests/persistence/database.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

TEST(Vitals, TellAnyRoleOfConnectionsOldTransactionsAndDeadRows) {
  const auto url = test::fresh_database();
  auto asking = test::look_into(url);
  asking.exec("CREATE ROLE modest; SET ROLE modest", deadline_in(60s));
  const auto now = [&] { return read_vitals(asking, deadline_in(60s)); };
  const auto before = now();
  EXPECT_GE(before.connections, 1);
  EXPECT_GT(before.connections_max, before.connections);
  EXPECT_GT(before.xid_age, 0);
  EXPECT_LT(before.xid_age, 1'000'000'000);
  EXPECT_LT(before.vacuum_due, 1);
  EXPECT_FALSE(before.archive_fails);

  auto reader = test::look_into(url); // which keeps dead rows from being removed
  reader.exec("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM profiles", deadline_in(60s));
  EXPECT_GT(now().connections, before.connections);
  test::run_sql(url, "CREATE TABLE grown AS SELECT n FROM generate_series(1, 100000) n");
  test::run_sql(url, "DELETE FROM grown; SELECT pg_stat_force_next_flush()");
  EXPECT_TRUE(test::comes_true([&] { return now().vacuum_due > 1; })) << now().vacuum_due;

  EXPECT_EQ(now().transaction_age_s, 0) << "another role's is hidden";
  asking.exec("RESET ROLE; GRANT pg_read_all_stats TO modest; SET ROLE modest", deadline_in(60s));
  EXPECT_TRUE(test::comes_true([&] { return now().transaction_age_s >= 1; }));
  reader.exec("ROLLBACK", deadline_in(60s));
  EXPECT_TRUE(test::comes_true([&] { return now().transaction_age_s == 0; }));
  asking.exec("RESET ROLE; DROP OWNED BY modest; DROP ROLE modest", deadline_in(60s));
}

TEST(Vitals, TellWhileTheLogCannotBeArchived) {
  test::private_postgres cluster;
  const auto url = cluster.url();
  cluster.sql("ALTER SYSTEM SET archive_mode = on");
  cluster.sql("ALTER SYSTEM SET archive_command = 'false'");
  cluster.stop();
  cluster.start();
  auto asking = test::look_into(url);
  const auto fails = [&] { return read_vitals(asking, deadline_in(60s)).archive_fails; };
  cluster.sql("CREATE TABLE archived (n int); SELECT pg_switch_wal()");
  EXPECT_TRUE(test::comes_true(fails));
  cluster.sql("ALTER SYSTEM SET archive_command = 'true'");
  cluster.sql("SELECT pg_reload_conf()");
  cluster.sql("DROP TABLE archived; SELECT pg_switch_wal()"); // wakes who archives
  EXPECT_TRUE(test::comes_true([&] { return !fails(); }));
}

} // namespace
} // namespace credence::persistence
