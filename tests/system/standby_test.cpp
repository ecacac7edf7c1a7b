// `serve --standby`: a second server that waits, warm, until the first one ends or shows no sign of life.
#include "tests/build_paths.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/process.hpp"
#include "tests/system/held_port.hpp"
#include "tests/system/ledger.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

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
                             {{"CREDENCE_HTTP_RATE_LIMITS", "false"}, {"CREDENCE_HTTP_ANSWER_TIMEOUT", "20000"}}};
  }

  http_client client() const { return http_client{port_.number()}; }
  http_client operators() const { return http_client{operator_port_.number()}; }
  http_client admins() const { return http_client{admin_port_.number()}; }
  std::string log() const {
    std::ifstream in{log_file()};
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
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

class Standby : public testing::Test {
protected:
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
  EXPECT_NE(not_ready.body.find(R"("reason":"standby")"), std::string::npos) << not_ready.body;
  EXPECT_EQ(not_ready.body.find(first_owner), std::string::npos) << "which machine that is is nobody's business";
  const auto told = second.operators().get("/readyz?verbose");
  EXPECT_EQ(told.status, 503);
  EXPECT_EQ(json_text(told.body, "/owner"), first_owner);
  EXPECT_FALSE(json_text(told.body, "/leaseUntil").empty());
  for (const auto* line : {"\ncredence_standby 1\n", "\ncredence_standby_able 1\n"})
    EXPECT_NE(second.operators().get("/metrics").body.find(line), std::string::npos) << line;
  EXPECT_NE(http_client{server.operator_port()}.get("/metrics").body.find("\ncredence_standby 0\n"), std::string::npos);
  for (const auto* path : {"/api/v2/healthcheck", "/api/v2/projects/1/chart", "/api/v2/auth/nonce", "/nothing/here"}) {
    const auto refused = second.client().get(path);
    EXPECT_EQ(refused.status, 503) << path;
    EXPECT_NE(refused.body.find("\"STANDBY\""), std::string::npos) << refused.body;
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
  EXPECT_NE(second.operators().get("/metrics").body.find("\ncredence_standby 0\n"), std::string::npos);
  EXPECT_EQ(second.admins().get("/").status, 200);
  EXPECT_EQ(second.terminate(), 0);
}

TEST_F(Standby, TakesOverAtOnceFromAnOwnerThatEndsByItself) {
  auto& second = standby();
  EXPECT_EQ(server.terminate(), 0);
  ASSERT_TRUE(second.becomes_ready());
  EXPECT_EQ(second.log().find("\"standby_takes_over\""), std::string::npos) << "no lease had to end: it was given back";
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
  EXPECT_NE(second.operators().get("/metrics").body.find("\ncredence_standby_able 0\n"), std::string::npos);
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
  EXPECT_EQ(server.log().find("\"standby_waits\""), std::string::npos);
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

} // namespace
} // namespace credence::test
