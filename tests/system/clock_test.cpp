// A wall clock that is wrong stops writes, stamps nothing and opens no period.
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/faults.hpp"
#include "tests/system/machine_clock.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace credence::test {
namespace {

using namespace std::chrono_literals;

constexpr int year = 366 * 24 * 3600;

http_response vote(service& on, int profile, int project) {
  return on.client().post("/api/v2/projects/" + std::to_string(project) + "/votes", R"({"voteType":"BULLISH"})",
                          on.token(profile));
}

/// Votes of other profiles, until one is refused for the clock; what was said.
std::string until_refused(service& on) {
  http_response came;
  await("a refusal", [&, tries = 0]() mutable {
    ++tries;
    came = vote(on, 2 + tries % 20, 1 + tries % 6);
    return came.status == 503 && came.body.find("clock") != std::string::npos; // a busy database may refuse one before
  });
  return came.body;
}

std::size_t lines_with(const std::string& log, const std::string& word) {
  std::size_t count = 0;
  for (auto at = log.find(word); at != std::string::npos; at = log.find(word, at + 1))
    ++count;
  return count;
}

TEST(Clock, ThatDiffersFromTheDatabasesStopsWritesAloneUntilItIsRight) {
  const machine_clock servers;
  service server;
  server.run_with(servers.in_front());
  server.start({"--admin", "1"});
  ASSERT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  for (const int ahead : {60, -60}) {
    SCOPED_TRACE(ahead);
    servers.set(ahead);
    const auto refused = until_refused(server);
    EXPECT_NE(refused.find("clock"), std::string::npos) << refused;
    EXPECT_EQ(server.client().get("/api/v2/projects/1/voters").status, 200) << "reads go on";
    http_client operators{server.operator_port()};
    const auto unready = [&] {
      const auto ready = operators.get("/readyz?verbose");
      return ready.status == 503 && ready.body.find("\"clock\":false") != std::string::npos;
    };
    const auto clock_good = [&](const char* value) {
      return operators.get("/metrics").body.find(std::string{"\ncredence_clock_good "} + value) != std::string::npos;
    };
    EXPECT_TRUE(await("not to be ready", unready));
    EXPECT_TRUE(await("the metric", [&] { return clock_good("0"); }));
    std::this_thread::sleep_for(1500ms); // looked at again, and not told again
    servers.set(0);
    EXPECT_TRUE(server.becomes_ready());
    seconds_until_writes(server);
    EXPECT_TRUE(await("the metric", [&] { return clock_good("1"); }));
  }
  EXPECT_EQ(lines_with(server.log(), "clock_differs"), 2u);
  servers.set(3);
  std::this_thread::sleep_for(1500ms); // looked at, and nothing may come of it
  EXPECT_TRUE(server.becomes_ready()) << "so much is usual between machines";
}

/// The database is on the same machine, so its clock jumps, too.
TEST(Clock, ThatJumpsYearsAheadOpensNoPeriodAndStampsNothing) {
  const machine_clock machines;
  service server{service::size{}, machines.in_front()};
  server.run_with(machines.in_front());
  server.start({"--admin", "1", "--actors-period-advance", "monthly"});
  ASSERT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  const auto periods = server.database().sql("SELECT count(*) FROM voting_periods");
  std::atomic<bool> stop{false};
  std::atomic<int> stored{0};
  std::thread crowd{[&] {
    for (int i = 0; !stop; ++i)
      stored += vote(server, 2 + i % 25, 1 + i / 25 % 6).status == 200;
  }};
  await("votes", [&] { return stored >= 10; });
  machines.set(3 * year);
  const auto refused = until_refused(server);
  std::this_thread::sleep_for(2500ms); // the period looks every second whether it is over
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM voting_periods"), periods);
  machines.set(0);
  stop = true;
  crowd.join();
  EXPECT_NE(refused.find("clock"), std::string::npos) << refused;
  seconds_until_writes(server);
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM voting_periods"), periods);
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM votes WHERE cast_at > now() + interval '1 minute'"), "0")
    << "stamped by a clock that was wrong";
}

} // namespace
} // namespace credence::test
