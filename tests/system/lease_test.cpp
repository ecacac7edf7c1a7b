// Reads are answered only while the server knows that its data is still its own.
#include "tests/build_paths.hpp"
#include "tests/persistence/postgres/cutting_proxy.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/process.hpp"
#include "tests/system/faults.hpp"
#include "tests/system/ledger.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <memory>
#include <thread>

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr double lease = 3;                        // seconds
constexpr auto votes = "/api/v2/projects/1/chart"; // from memory, once somebody has asked

/// Starts it, and somebody has asked for the project.
void begin(service& server) {
  server.start({"--admin", "1"});
  EXPECT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  EXPECT_EQ(server.client().get(votes).status, 200);
}

/// Another server on the same database, which owns the data from then on.
child_process successor_of(service& server) {
  const auto epoch = [&] { return std::stoi(server.database().sql("SELECT epoch FROM shard_owners")); };
  const auto first = epoch();
  child_process second{{test::built::executable, "serve", "--data-dir", server.data_dir().string(), "--database-url",
                        server.database().url(), "--port", "0", "--http-operator-port", "0", "--http-admin-port", "0"},
                       (server.data_dir() / "second.log").string()};
  await("a successor", [&] { return epoch() != first || !second.running(); });
  return second;
}

class Lease : public testing::Test {
protected:
  Lease() { begin(server); }

  service server;
};

TEST_F(Lease, AServerThatWasStoppedAndTakenOverTellsNothingOld) {
  std::vector<http_client> clients; // who asked while it was stopped
  for (int i = 0; i < 8; ++i) {
    clients.push_back(server.client());
    ASSERT_EQ(clients.back().get("/livez").status, 200);
  }
  stop_process(server.pid());
  auto second = successor_of(server);
  std::this_thread::sleep_for(std::chrono::duration<double>{lease + 0.5});
  std::vector<std::thread> asking;
  std::atomic<int> told{0};
  for (auto& each : clients)
    asking.emplace_back([&] {
      const auto came = each.get(votes);
      told += came.status == 200;
    });
  std::this_thread::sleep_for(300ms); // they wait in its sockets by now, or ask once it goes on: in time, or not at all
  ::kill(server.pid(), SIGCONT);
  for (auto& each : asking)
    each.join();
  EXPECT_EQ(told, 0) << "it knows nothing of what its successor was told";
  EXPECT_EQ(server.ends(), 6);
  second.signal(SIGTERM);
  EXPECT_EQ(second.wait(), 0);
}

TEST_F(Lease, AServerThatWasStoppedAloneAnswersAgainAtOnce) {
  stop_process(server.pid());
  std::this_thread::sleep_for(std::chrono::duration<double>{lease + 1});
  ::kill(server.pid(), SIGCONT);
  const auto began = steady_clock::now();
  EXPECT_TRUE(await("an answer", [&] { return server.client().get(votes).status == 200; }));
  EXPECT_LE(seconds_since(began), 2 * bars::slack());
  EXPECT_TRUE(server.becomes_ready());
}

TEST_F(Lease, WithoutItsDatabaseReadsEndAfterThreeSecondsAndComeBackWithIt) {
  auto client = server.client();
  server.database().pause();
  const auto began = steady_clock::now();
  double last_good = 0;
  std::string refused;
  while (seconds_since(began) < lease + 3 || refused.empty()) {
    ASSERT_LT(seconds_since(began), 60) << "reads go on";
    const auto waited = seconds_since(began);
    const auto came = client.get(votes);
    ASSERT_TRUE(came.status == 200 || came.status == 503) << came.status;
    if (seconds_since(began) < 1) {
      EXPECT_EQ(came.status, 200) << "for a moment reads go on";
    }
    if (came.status == 200) {
      last_good = waited;
    } else {
      refused = came.body;
      EXPECT_TRUE(came.headers.contains("retry-after"));
    }
    EXPECT_EQ(client.get("/livez").status, 200);
    EXPECT_EQ(client.get("/api/v2/healthcheck").status, 200);
    EXPECT_EQ(client.get("/api/v2/auth/nonce").status, 200) << "tells nothing that is stored";
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_LE(last_good, lease + 0.2) << "what is told later may be out of date";
  EXPECT_NE(refused.find("its own"), std::string::npos) << refused;
  http_client operators{server.operator_port()};
  EXPECT_TRUE(await("a lease that has ended", [&] {
    return operators.get("/readyz?verbose").body.find("\"lease\":false") != std::string::npos;
  }));
  EXPECT_NE(operators.get("/metrics").body.find("credence_http_not_owner_total"), std::string::npos);
  server.database().resume();
  EXPECT_LE(seconds_until_writes(server), bars::writes_after_database * bars::slack());
  EXPECT_EQ(server.client().get(votes).status, 200);
}

/// It cannot know of its successor.
TEST(LeaseOfACutOffServer, EndsBeforeItsSuccessorIsOlderThanThreeSeconds) {
  service server;
  auto way = std::make_unique<cutting_proxy>(server.database().directory().string());
  server.reach_database_by(way->through(server.database().url()));
  begin(server);
  way.reset();
  const auto cut = steady_clock::now();
  auto second = successor_of(server);
  auto client = server.client();
  double last_good = 0;
  while (seconds_since(cut) < 2 * lease) {
    const auto waited = seconds_since(cut);
    if (client.get(votes).status == 200)
      last_good = waited;
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_LE(last_good, lease + 0.2);
  EXPECT_TRUE(server.running());
  EXPECT_EQ(client.get("/livez").status, 200) << "a restart would not help";
  second.signal(SIGTERM);
  EXPECT_EQ(second.wait(), 0);
}

TEST_F(Lease, AServerThatWasTakenOverAnswersNoReads) {
  std::atomic<bool> taken{false};
  std::atomic<bool> stop{false};
  steady_clock::time_point when;
  double last_good = 0;
  std::thread reader{[&] {
    while (!stop) {
      const auto before = steady_clock::now();
      http_client client{server.port(), 1000};
      if (client.get(votes).status == 200 && taken)
        last_good = std::max(last_good, std::chrono::duration<double>(before - when).count());
    }
  }};
  auto second = successor_of(server);
  when = steady_clock::now();
  taken = true;
  EXPECT_EQ(server.ends(), 6);
  stop = true;
  reader.join();
  EXPECT_LE(last_good, lease);
  second.signal(SIGTERM);
  EXPECT_EQ(second.wait(), 0);
}

TEST_F(Lease, NobodyIsRefusedByAServerThatIsWell) {
  ledger book{server};
  std::atomic<bool> stop{false};
  std::thread crowd{[&] {
    while (!stop) {
      book.vote(server.voters(), {1, 2, 3, 4, 5, 6}, 8, stop);
      server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1));
    }
  }};
  auto client = server.client();
  int requests = 0;
  for (const auto began = steady_clock::now(); seconds_since(began) < 5 || requests < 50; ++requests) {
    const auto came = client.get(votes);
    EXPECT_EQ(came.status, 200) << came.body;
  }
  stop = true;
  crowd.join();
  std::this_thread::sleep_for(std::chrono::duration<double>{lease + 0.5}); // idle
  EXPECT_EQ(client.get(votes).status, 200);
}

TEST(LeaseOnASlowDisk, ReadsGoOnWhileBatchesTakeLong) {
  const faulty_disk disk;
  service server{service::size{}, disk.in_front()};
  server.start({"--admin", "1"});
  ASSERT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  ASSERT_EQ(server.client().get("/api/v2/projects/7/chart").status, 200);
  ledger book{server};
  std::atomic<bool> stop{false};
  for (const auto* trouble : {"slow 1500", "full"}) {
    SCOPED_TRACE(trouble);
    disk.order(trouble);
    stop = false;
    std::thread crowd{[&] { book.vote(server.voters(), {1, 2, 3, 4, 5, 6}, 4, stop); }};
    auto client = server.client();
    for (const auto began = steady_clock::now(); seconds_since(began) < 6;) {
      const auto came = client.get("/api/v2/projects/7/chart");
      EXPECT_EQ(came.status, 200) << came.body;
      std::this_thread::sleep_for(20ms);
    }
    stop = true;
    disk.mend();
    crowd.join();
    seconds_until_writes(server);
  }
}

} // namespace
} // namespace credence::test
