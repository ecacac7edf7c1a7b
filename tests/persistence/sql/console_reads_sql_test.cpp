#include "persistence/console/admin_database.hpp"
#include "tests/persistence/database.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>

// What the console's own connection reads of PostgreSQL for the page Store.
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
  own.sql("CREATE EXTENSION pg_stat_statements");
  own.sql("SELECT pg_sleep(0.05), 4711 AS marked");
  admin_database console{test::store_settings(own.url())};
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

} // namespace
} // namespace credence::persistence
