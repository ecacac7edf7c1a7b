#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/faults.hpp"
#include "tests/system/ledger.hpp"
#include "tests/text_of_file.hpp"
#include "tests/waiting.hpp"

#include <signal.h>

// `serve --standby`: a second server that waits, warm, until the first one ends or shows no sign of life.
namespace credence::test {
namespace {

namespace fs = std::filesystem;

constexpr auto vote_path = "/api/v2/projects/1/votes";

/// A server that waits, with a directory of its own: it has the keys, and knows of no run before.
class waiting_server {
public:
  waiting_server(service& beside, const std::string& name, const fs::path& keys)
    : directory_(beside.data_dir().parent_path() / name) {
    fs::create_directory(directory_);
    fs::copy(keys, directory_ / "token.key");
    process_ = child_process{{test::built::executable, "serve", "--standby", "--data-dir", directory_.string(),
                              "--database-url", beside.database().url(), "--port", std::to_string(port_.number()),
                              "--http-operator-port", std::to_string(operator_port_.number()), "--http-admin-port",
                              std::to_string(admin_port_.number()), "--admin", "1"},
                             log_file(),
                             patient_environment()};
  }

  http_client client() const { return http_client{port_.number()}; }
  http_client operators() const { return http_client{operator_port_.number()}; }
  http_client admins() const { return http_client{admin_port_.number()}; }
  std::string log() const { return text_of_file(log_file()); }
  bool says(const std::string& text) const {
    return await(text.c_str(), [&] { return log().find(text) != std::string::npos; });
  }
  bool becomes_ready() const {
    return await("a standby that has taken over", [&] { return client().get("/readyz").status == 200; });
  }
  int terminate() {
    process_.signal(SIGTERM);
    return process_.wait();
  }
  bool running() { return process_.running(); }

private:
  std::string log_file() const { return (directory_ / "log").string(); }

  fs::path directory_;
  held_port port_;
  held_port operator_port_;
  held_port admin_port_;
  child_process process_;
};

struct Standby : testing::Test {
  Standby() {
    server.start({"--admin", "1"});
    EXPECT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  }

  waiting_server& standby() {
    waiting.push_back(std::make_unique<waiting_server>(server, "standby" + std::to_string(waiting.size()),
                                                       server.data_dir() / "token.key"));
    EXPECT_TRUE(waiting.back()->says("\"standby_waits\""));
    return *waiting.back();
  }
  std::string sql(const std::string& text) { return server.database().sql(text); }
  std::string owner() { return sql("SELECT owner FROM shard_owners WHERE shard = 1"); }

  service server;
  std::vector<std::unique_ptr<waiting_server>> waiting;
};

TEST_F(Standby, WaitsWhileTheOwnerLivesAndSaysSo) {
  auto& second = standby();
  const auto first_owner = owner();
  EXPECT_EQ(second.client().get("/livez").status, 200);
  const auto not_ready = second.client().get("/readyz");
  EXPECT_EQ(not_ready.status, 503);
  EXPECT_TRUE(has(not_ready.body, R"("reason":"standby")"));
  EXPECT_FALSE(has(not_ready.body, first_owner)) << "which machine that is is nobody's business";
  const auto told = second.operators().get("/readyz?verbose");
  EXPECT_EQ(told.status, 503);
  EXPECT_EQ(json_text(told.body, "/owner"), first_owner);
  EXPECT_FALSE(json_text(told.body, "/leaseUntil").empty());
  for (const auto* line : {"\ncredence_standby 1\n", "\ncredence_standby_able 1\n"})
    EXPECT_TRUE(has(second.operators().get("/metrics").body, line)) << line;
  EXPECT_TRUE(has(http_client{server.operator_port()}.get("/metrics").body, "\ncredence_standby 0\n"));
  for (const auto* path : {"/api/v2/healthcheck", "/api/v2/projects/1/chart", "/api/v2/auth/nonce", "/nothing/here"}) {
    const auto refused = second.client().get(path);
    EXPECT_EQ(refused.status, 503) << path;
    EXPECT_TRUE(has(refused.body, "\"STANDBY\""));
    EXPECT_TRUE(refused.headers.contains("retry-after")) << path;
  }
  EXPECT_EQ(second.client().post(vote_path, R"({"voteType":"BULLISH"})", server.token(2)).status, 503);
  EXPECT_EQ(second.admins().get("/").status, 503);
  EXPECT_EQ(second.operators().get("/wallets/signing").status, 503);
  // Longer than the lease of an owner that says nothing any more.
  const auto lease = "SELECT extract(epoch FROM lease_until)::bigint FROM shard_owners WHERE shard = 1";
  const auto before = std::stoll(sql(lease));
  EXPECT_TRUE(await("a lease that is renewed", [&] { return std::stoll(sql(lease)) > before + 12; }));
  EXPECT_EQ(owner(), first_owner);
  EXPECT_EQ(server.client().post(vote_path, R"({"voteType":"BULLISH"})", server.token(2)).status, 200);
  EXPECT_EQ(second.terminate(), 0) << "it has nothing to drain";
  EXPECT_EQ(owner(), first_owner);
}

TEST_F(Standby, TakesOverFromAnOwnerThatWasKilledAndHasEveryAcknowledgedVote) {
  auto& second = standby();
  ledger book{server};
  std::atomic<bool> stop{false};
  std::thread crowd{[&] { book.vote(server.voters(), {1, 2, 3, 4, 5, 6}, 4, stop); }};
  EXPECT_TRUE(await("votes", [&] { return book.acknowledged() > 20; }));
  const auto first_owner = owner();
  server.kill_hard();
  stop = true;
  crowd.join();
  ASSERT_TRUE(second.becomes_ready());
  EXPECT_NE(owner(), first_owner);
  EXPECT_TRUE(second.says("\"standby_takes_over\""));
  for (const auto& each : book.attempts())
    if (each.fate == attempt::acknowledged) {
      EXPECT_EQ(sql("SELECT count(*) FROM votes WHERE reason = '" + each.reason + "'"), "1") << each.reason;
    }
  EXPECT_EQ(second.client().post("/api/v2/projects/7/votes", R"({"voteType":"BULLISH"})", server.token(2)).status, 200);
  EXPECT_TRUE(has(second.operators().get("/metrics").body, "\ncredence_standby 0\n"));
  EXPECT_EQ(second.admins().get("/").status, 200);
  EXPECT_EQ(second.terminate(), 0);
}

TEST_F(Standby, TakesOverAtOnceFromAnOwnerThatEndsByItself) {
  auto& second = standby();
  EXPECT_EQ(server.terminate(), 0);
  ASSERT_TRUE(second.becomes_ready());
  EXPECT_FALSE(has(second.log(), "\"standby_takes_over\"")) << "no lease had to end: it was given back";
  EXPECT_EQ(second.client().post(vote_path, R"({"voteType":"BULLISH"})", server.token(2)).status, 200);
  EXPECT_EQ(second.terminate(), 0);
  EXPECT_EQ(sql("SELECT lease_until IS NULL FROM shard_owners WHERE shard = 1"), "t");
}

TEST_F(Standby, OfAnOwnerThatStandsStillTakesOverAndTheOwnerEndsOnceItGoesOn) {
  auto& second = standby();
  stop_process(server.pid());
  ASSERT_TRUE(second.becomes_ready());
  const auto second_owner = owner();
  ::kill(server.pid(), SIGCONT);
  EXPECT_EQ(server.ends(), 6);
  EXPECT_EQ(owner(), second_owner);
  EXPECT_EQ(second.client().post(vote_path, R"({"voteType":"BULLISH"})", server.token(2)).status, 200);
  // Started again by its service manager, it waits in turn.
  server.launch({"--admin", "1", "--standby"});
  ASSERT_TRUE(server.logs("\"standby_waits\""));
  EXPECT_TRUE(second.running());
  EXPECT_EQ(owner(), second_owner);
  EXPECT_EQ(second.terminate(), 0);
  ASSERT_TRUE(server.becomes_ready());
  EXPECT_EQ(server.client().get("/api/v2/projects/1/chart").status, 200);
}

TEST_F(Standby, LeavesTheOwnerTimeToComeBackAfterAnOutageOfTheDatabase) {
  auto& second = standby();
  const auto first_owner = owner();
  server.database().kill_hard();
  const auto away = [&] { return second.log().find("\"store_unreachable\"") != std::string::npos; };
  EXPECT_TRUE(await("a standby without a database", away));
  EXPECT_TRUE(has(second.operators().get("/metrics").body, "\ncredence_standby_able 0\n"));
  server.database().start();
  sql("UPDATE shard_owners SET lease_until = clock_timestamp() - interval '1 minute'"); // as if it had been away for
                                                                                        // longer than the lease
  EXPECT_TRUE(second.says("\"store_reachable\""));
  EXPECT_TRUE(server.becomes_ready());
  EXPECT_TRUE(await("a renewed lease", [&] {
    return sql("SELECT lease_until > clock_timestamp() FROM shard_owners WHERE shard = 1") == "t";
  }));
  EXPECT_EQ(owner(), first_owner);
  EXPECT_TRUE(server.running());
  server.kill_hard(); // and still notices its end
  EXPECT_TRUE(second.becomes_ready());
}

TEST_F(Standby, DoesNotWaitForTheLeaseOfItsOwnRunThatWasCutOff) {
  server.kill_hard();
  server.start({"--admin", "1", "--standby"});
  EXPECT_FALSE(has(server.log(), "\"standby_waits\""));
}

TEST_F(Standby, OfTwoOneTakesOverAndTheOtherWaitsForIt) {
  auto& second = standby();
  auto& third = standby();
  server.kill_hard();
  const auto ready = [](waiting_server& which) { return which.client().get("/readyz").status == 200; };
  ASSERT_TRUE(await("one that takes over", [&] { return ready(second) || ready(third); }));
  auto& other = ready(second) ? third : second;
  const auto next_owner = owner();
  EXPECT_TRUE(await("one that waits for the new owner", [&] {
    return other.operators().get("/readyz?verbose").body.find("\"" + next_owner + "\"") != std::string::npos;
  }));
  EXPECT_TRUE(second.running());
  EXPECT_TRUE(third.running());
}

/// Without the flag the newest process wins, as for an upgrade.
TEST_F(Standby, IsWhatAsksForIt) {
  auto& second = standby();
  const auto first_owner = owner();
  service newest;
  newest.reach_database_by(server.database().url());
  newest.start();
  EXPECT_EQ(server.ends(), 6);
  EXPECT_NE(owner(), first_owner);
  EXPECT_EQ(second.client().get("/readyz").status, 503);
}

// Reads are answered only while the server knows that its data is still its own.

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr double lease_seconds = 3;                // seconds
constexpr auto votes = "/api/v2/projects/1/chart"; // from memory, once somebody has asked

/// Starts it, and somebody has asked for the project.
void begin(service& server) {
  server.keep_production_times();
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

struct Lease : testing::Test {
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
  std::this_thread::sleep_for(std::chrono::duration<double>{lease_seconds + 0.5});
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
  std::this_thread::sleep_for(std::chrono::duration<double>{lease_seconds + 1});
  ::kill(server.pid(), SIGCONT);
  const auto began = steady_clock::now();
  EXPECT_TRUE(await("an answer", [&] { return server.client().get(votes).status == 200; }));
  EXPECT_LE(seconds_since(began), 2 * bars::slack());
  EXPECT_TRUE(server.becomes_ready());
}

TEST_F(Lease, WithoutItsDatabaseReadsEndAfterThreeSecondsAndComeBackWithIt) {
  auto client = server.client();
  http_client operators{server.operator_port()};
  EXPECT_TRUE(await("a lease that was renewed just now", [&] {
    const auto metrics = operators.get("/metrics").body;
    const std::string name = "\ncredence_store_lease_age_seconds ";
    const auto at = metrics.find(name);
    return at != std::string::npos && std::stod(metrics.substr(at + name.size())) < 0.5;
  }));
  const auto before = steady_clock::now();
  server.database().pause(); // which takes its time where the machine is busy
  const auto began = steady_clock::now();
  double last_good = 0;
  std::string refused;
  while (seconds_since(began) < lease_seconds + 3 || refused.empty()) {
    ASSERT_LT(seconds_since(began), 60) << "reads go on";
    const auto waited = seconds_since(began);
    const auto came = client.get(votes);
    ASSERT_TRUE(came.status == 200 || came.status == 503) << came.status;
    if (seconds_since(before) < 1) {
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
  EXPECT_LE(last_good, lease_seconds + 0.2) << "what is told later may be out of date";
  EXPECT_TRUE(has(refused, "its own"));
  EXPECT_TRUE(await("a lease that has ended", [&] {
    return operators.get("/readyz?verbose").body.find("\"lease\":false") != std::string::npos;
  }));
  EXPECT_TRUE(has(operators.get("/metrics").body, "credence_http_not_owner_total"));
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
  while (seconds_since(cut) < 2 * lease_seconds) {
    const auto waited = seconds_since(cut);
    if (client.get(votes).status == 200)
      last_good = waited;
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_LE(last_good, lease_seconds + 0.2);
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
  EXPECT_LE(last_good, lease_seconds);
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
    EXPECT_EQ(client.get(votes).status, 200);
  }
  stop = true;
  crowd.join();
  std::this_thread::sleep_for(std::chrono::duration<double>{lease_seconds + 0.5}); // idle
  EXPECT_EQ(client.get(votes).status, 200);
}

TEST(LeaseOnASlowDisk, ReadsGoOnWhileBatchesTakeLong) {
  const faulty_disk disk;
  service server{service::size{}, disk.in_front()};
  server.keep_production_times();
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
      EXPECT_EQ(client.get("/api/v2/projects/7/chart").status, 200);
      std::this_thread::sleep_for(20ms);
    }
    stop = true;
    disk.mend();
    crowd.join();
    seconds_until_writes(server);
  }
}

// A wall clock that is wrong stops writes, stamps nothing and opens no period.

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
    EXPECT_TRUE(has(until_refused(server), "clock"));
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
  EXPECT_TRUE(has(refused, "clock"));
  seconds_until_writes(server);
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM voting_periods"), periods);
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM votes WHERE cast_at > now() + interval '1 minute'"), "0")
    << "stamped by a clock that was wrong";
}

} // namespace
} // namespace credence::test
