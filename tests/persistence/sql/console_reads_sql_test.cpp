#include "persistence/console/admin_database.hpp"
#include "tests/persistence/database.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

// What the console's own connection reads of PostgreSQL.
namespace credence::persistence {
namespace {

steady_time soon() { return deadline_in(test::wait_at_most); }

TEST(ConsoleReadsSql, TellWhoWaitsForWhom) {
  const auto url = test::fresh_database();
  auto holder = test::look_into(url);
  holder.exec("BEGIN; LOCK TABLE profiles", soon());
  const std::jthread waits{[&url] { test::look_into(url).exec("SELECT count(*) FROM profiles", soon()); }};
  admin_database console{test::store_settings(url)};
  std::shared_ptr<const console::activity> seen;
  const console::statement* blocked = nullptr;
  EXPECT_TRUE(test::await("the one that waits", [&] {
    seen = console.activity();
    const auto found = std::find_if(seen->under_way.begin(), seen->under_way.end(),
                                    [](const auto& each) { return !each.blocked_by.empty(); });
    blocked = found == seen->under_way.end() ? nullptr : &*found;
    return blocked != nullptr;
  }));
  holder.exec("ROLLBACK", soon()); // also where nobody was found, so that the other one ends
  ASSERT_NE(blocked, nullptr);
  EXPECT_EQ(blocked->blocked_by, std::to_string(holder.backend_pid()));
  EXPECT_EQ(blocked->waits_for, "Lock: relation");
  EXPECT_EQ(blocked->application, "credence-tests");
  EXPECT_EQ(blocked->text, "SELECT count(*) FROM profiles");
  const auto connected = [&](const std::string& name) {
    return std::any_of(seen->connections.begin(), seen->connections.end(),
                       [&](const auto& each) { return each.application == name && each.count > 0; });
  };
  EXPECT_TRUE(connected("credence-tests"));
  EXPECT_TRUE(connected("credence-console"));
}

TEST(ConsoleReadsSql, TellSlowStatementsWhereTheyAreCounted) {
  const auto uncounted = test::fresh_database();
  admin_database other{test::store_settings(uncounted)};
  EXPECT_FALSE(other.activity()->slow);
  test::run_sql(uncounted, "CREATE EXTENSION pg_stat_statements");
  EXPECT_FALSE(other.activity()->slow) << "PostgreSQL has not loaded it";

  test::private_postgres own;
  own.sql("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'", "postgres");
  own.stop();
  own.start();
  const auto url = own.url();
  own.sql("CREATE EXTENSION pg_stat_statements");
  own.sql("SELECT pg_sleep(0.05), 4711 AS marked");
  admin_database console{test::store_settings(url)};
  const auto seen = console.activity();
  ASSERT_TRUE(seen->slow);
  const auto found = std::find_if(seen->slow->begin(), seen->slow->end(),
                                  [](const auto& each) { return each.text.find("AS marked") != std::string::npos; });
  ASSERT_NE(found, seen->slow->end());
  EXPECT_EQ(found->text, "SELECT pg_sleep($1), $2 AS marked") << "no values of anybody";
  EXPECT_EQ(found->calls, 1);
  EXPECT_EQ(found->rows, 1);
  EXPECT_GE(found->mean_ms, 50);
  EXPECT_EQ(found->mean_ms, found->total_ms);
}

/// Project 1 has 100,000 votes, one a second, all bullish, each by another profile.
TEST(ConsoleReadsSql, APageOfVotesLooksAtTenThousandAtMost) {
  const auto url = test::fresh_database();
  test::run_sql(url, "ALTER TABLE votes DISABLE TRIGGER ALL;"
                     "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                     " SELECT n, timestamptz '2026-01-01 00:00Z' + n * interval '1 second', 1, n, n, 1, true"
                     " FROM generate_series(1, 100000) n; ALTER TABLE votes ENABLE TRIGGER ALL; ANALYZE votes");
  const timestamp start = std::chrono::sys_days{std::chrono::year{2026} / 1 / 1};
  console::read_votes wanted;
  wanted.project = project_id{1};
  const auto page = [&] { return admin_database{test::store_settings(url)}.votes(wanted); };
  auto on = test::look_into(url);
  const auto cost = [&] { // the connection of the page has ended, and has told what it read
    return test::rows_read_by(on, url, "'votes'",
                              [&] {
                                page();
                                EXPECT_TRUE(test::await("its connection to end", [&] {
                                  return test::number_from(
                                           url, "SELECT count(*) FROM pg_stat_activity WHERE application_name ="
                                                " 'credence-console' AND datname = current_database()")
                                         == 0;
                                }));
                              })
      .all;
  };
  wanted.from = start + std::chrono::seconds{20'000};
  wanted.to = start + std::chrono::seconds{20'010};
  const auto found = page();
  ASSERT_EQ(found.values.size(), 10u);
  EXPECT_EQ(found.values.front().number, 20'009);
  EXPECT_EQ(found.values.back().number, 20'000);
  EXPECT_FALSE(found.next);
  EXPECT_LE(cost(), 300) << "both ends by halves, and a minute on each side";
  wanted.from.reset();
  EXPECT_EQ(page().next, 19'960);
  EXPECT_LE(cost(), 300);
  wanted.to.reset();
  wanted.bullish = false;
  EXPECT_TRUE(page().values.empty());
  EXPECT_EQ(page().next, 90'001) << "it goes on below those that were looked at";
  EXPECT_LE(cost(), console::votes_looked_at_max + 10);
}

} // namespace
} // namespace credence::persistence
