#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/faults.hpp"
#include "tests/system/ledger.hpp"
#include "tests/waiting.hpp"

#include <signal.h>

#include <fstream>
#include <iterator>

namespace credence::test {
namespace {

using namespace std::chrono_literals;

const std::vector<int> projects{1, 2, 3, 4, 5, 6};
constexpr int clients = 8; // that vote at the same time

void fresh_period(service& to) {
  ASSERT_EQ(to.client().post("/api/v2/projects/votes/reallocate", "", to.token(1)).status, 200);
}

/// Many vote, and after some more acknowledged votes `trouble` happens; they stop when it is over.
void vote_through(service& on, ledger& book, const std::function<void()>& trouble, std::size_t after = 50) {
  const auto enough = book.acknowledged() + after;
  std::atomic<bool> stop{false};
  std::thread troubled{[&] {
    if (await("acknowledged votes", [&] { return book.acknowledged() >= enough; }))
      trouble();
    stop = true;
  }};
  book.vote(on.voters(), projects, clients, stop);
  troubled.join();
}

TEST(Durability, EveryAcknowledgedVoteSurvivesSigkill) {
  service server;
  server.start({"--admin", "1"});
  ledger book{server};
  for (int round = 0; round < 3; ++round) {
    fresh_period(server);
    vote_through(server, book, [&] { server.kill_hard(); });
    EXPECT_LE(seconds_to_start(server, {"--admin", "1"}), bars::ready_after_kill * bars::slack());
    book.resolve_unknown();
  }
  EXPECT_GT(book.count(attempt::acknowledged), 100u);
  EXPECT_EQ(book.violations(projects), std::vector<std::string>{});
}

TEST(Durability, TheServerStaysUpWhilePostgresIsKilledAndLosesNothing) {
  service server;
  server.start({"--admin", "1"});
  fresh_period(server);
  ledger book{server};
  vote_through(server, book, [&] {
    const auto struck = std::chrono::steady_clock::now();
    server.database().kill_hard();
    auto client = server.client();
    EXPECT_EQ(client.get("/livez").status, 200);
    const auto read = client.get("/api/v2/projects/1/chart").status;
    if (seconds_since(struck) < 2) { // as long as the data is surely its own
      EXPECT_EQ(read, 200) << "reads of live projects go on";
    }
    const auto refused = client.post("/api/v2/projects/votes/reallocate", "", server.token(1));
    EXPECT_EQ(refused.status, 503);
    EXPECT_TRUE(refused.headers.contains("retry-after"));
    server.database().start();
    EXPECT_LE(seconds_until_writes(server), bars::writes_after_database * bars::slack());
    EXPECT_TRUE(server.becomes_ready());
  });
  EXPECT_TRUE(server.running());
  ASSERT_TRUE(server.becomes_ready());
  book.resolve_unknown();
  EXPECT_EQ(book.count(attempt::unknown), 0u);
  EXPECT_EQ(book.violations(projects), std::vector<std::string>{});
}

TEST(Durability, AHungDatabaseHangsNobody) {
  service server;
  server.keep_production_times();
  server.start({"--admin", "1", "--http-answer-timeout", "2500"}); // as the product has it
  fresh_period(server);
  ledger book{server};
  auto client = server.client();
  ASSERT_EQ(client.get("/api/v2/projects/1/voters").status, 200);
  const auto answered_in_time = [](const char* text, const auto& ask) {
    const auto began = std::chrono::steady_clock::now();
    const auto answer = ask();
    EXPECT_NE(answer.status, 0) << text << " was never answered";
    EXPECT_LE(seconds_since(began), bars::any_answer_with_slack()) << text;
    return answer.status;
  };
  server.database().pause();
  const std::atomic<bool> never{false};
  std::thread crowd{[&] { book.vote({4, 5, 6, 7, 8, 9}, projects, 8, never); }};
  EXPECT_EQ(
    answered_in_time(
      "a vote", [&] { return client.post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(3)); }),
    503);
  for (const auto* path : {"/api/v2/projects/1/voters", "/api/v2/projects/2/chart", "/api/v2/projects/votes/balance",
                           "/api/v2/internal/listings", "/api/v2/healthcheck", "/readyz"})
    answered_in_time(path, [&] { return client.get(path, server.token(10)); });
  EXPECT_EQ(answered_in_time("/livez", [&] { return client.get("/livez"); }), 200);
  crowd.join();
  for (const auto& each : book.attempts()) {
    EXPECT_EQ(each.fate, attempt::unknown) << each.reason;
    EXPECT_LE(each.took, std::chrono::duration<double>{bars::any_answer_with_slack()}) << each.reason;
  }
  server.database().resume();
  ASSERT_TRUE(server.becomes_ready());
  const auto again = client.post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(3));
  EXPECT_TRUE(again.status == 200 || json_text(again.body, "/code") == "ALREADY_VOTED") << again.body;
  book.resolve_unknown();
  EXPECT_EQ(book.violations(projects), std::vector<std::string>{});
  EXPECT_EQ(json_number(client.get("/api/v2/projects/1/voters").body, "/totals/totalVoters"), 7);
}

TEST(Durability, NoVoteIsAcknowledgedBeforeItIsOnDisk) {
  const faulty_disk disk;
  service server{service::size{}, disk.in_front()};
  server.start({"--admin", "1"});
  fresh_period(server);
  disk.order("slow 400");
  ledger book{server};
  const std::atomic<bool> stop{false};
  book.vote({2, 3, 4, 5, 6, 7, 8}, {1, 2}, 7, stop);
  disk.mend();
  ASSERT_GT(book.count(attempt::acknowledged), 5u);
  for (const auto& each : book.attempts())
    if (each.fate == attempt::acknowledged) {
      EXPECT_GE(each.took, 400ms) << each.reason << " was acknowledged before its commit";
    }
}

TEST(Durability, SigtermUnderLoadAnswersWhatIsInFlightAndExitsCleanly) {
  service server;
  server.start({"--admin", "1"});
  fresh_period(server);
  ledger book{server};
  int code = -1;
  vote_through(server, book, [&] { code = server.terminate(); });
  EXPECT_EQ(code, 0);
  server.start({"--admin", "1"});
  book.resolve_unknown();
  EXPECT_EQ(book.count(attempt::unknown), 0u);
  EXPECT_EQ(book.violations(projects), std::vector<std::string>{});
}

TEST(Durability, EveryVoteInFlightAtSigtermIsAnsweredOnceItIsOnDisk) {
  const faulty_disk disk;
  service server{service::size{}, disk.in_front()};
  server.start({"--admin", "1"});
  fresh_period(server);
  disk.order("slow 400"); // so that a batch is under way, and another waits behind it, when the signal comes
  ledger book{server};
  int code = -1;
  std::chrono::steady_clock::time_point looked, signalled;
  vote_through(
    server, book,
    [&] {
      http_client operators{server.operator_port()};
      await("a vote of every client, with the server", [&] {
        looked = std::chrono::steady_clock::now();
        return operators.get("/metrics").body.find("\ncredence_http_in_flight " + std::to_string(clients) + "\n")
               != std::string::npos;
      });
      signalled = std::chrono::steady_clock::now();
      code = server.terminate();
    },
    10);
  disk.mend();
  EXPECT_EQ(code, 0);
  int in_flight = 0;
  for (const auto& each :
       book.attempts()) // one that was sent after the look may not have arrived, and finds the door closed
    if (each.sent_at < looked && each.sent_at + each.took > signalled) {
      ++in_flight;
      EXPECT_EQ(each.fate, attempt::acknowledged) << each.reason << " was in flight and got " << each.status;
    }
  EXPECT_GT(in_flight, 0);
  server.start({"--admin", "1"});
  book.resolve_unknown();
  EXPECT_EQ(book.violations(projects), std::vector<std::string>{});
}

TEST(Durability, StartsWithoutADatabaseAndBecomesReadyWhenItComes) {
  service server;
  server.database().kill_hard();
  server.launch();
  auto client = server.client();
  EXPECT_EQ(client.get("/livez").status, 200);
  EXPECT_EQ(client.get("/readyz").status, 503);
  EXPECT_EQ(client.get("/api/v2/projects/1/voters").status, 503);
  std::atomic<bool> stop{false};
  std::map<int, int> answers;
  std::atomic<int> good{0}, away{0};
  std::thread impatient{[&] {
    auto other = server.client();
    while (!stop)
      for (const auto* path : {"/api/v2/projects/1/voters", "/api/v2/projects/votes/balance?projectId=1",
                               "/api/v2/internal/listings", "/api/v2/projects/2/chart"}) {
        const auto status = other.get(path, server.token(3)).status;
        ++answers[status];
        good += status == 200;
        away += status == 503;
      }
  }};
  EXPECT_TRUE(await("an answer without a database", [&] { return away > 0; }));
  server.database().start();
  EXPECT_TRUE(server.becomes_ready());
  EXPECT_TRUE(await("an answer with a database", [&] { return good > 0; }));
  stop = true;
  impatient.join();
  EXPECT_EQ(client.get("/api/v2/projects/1/voters").status, 200);
  EXPECT_EQ(answers.size(), 2u) << "a true answer or none: nothing is missing because it was not read yet";
}

TEST(Durability, ReadsOfLiveProjectsGoOnThroughAShortOutage) {
  service server;
  server.start({"--admin", "1"});
  fresh_period(server);
  for (const auto project : projects) // one that nobody has asked for is not live
    ASSERT_EQ(server.client().get("/api/v2/projects/" + std::to_string(project) + "/chart").status, 200);
  ledger book{server};
  vote_through(server, book, [&] {
    const auto until = std::chrono::steady_clock::now() + 2s; // as long as the data is surely its own
    server.database().kill_hard();
    auto client = server.client();
    while (std::chrono::steady_clock::now() < until)
      for (const auto project : projects) {
        const auto status = client.get("/api/v2/projects/" + std::to_string(project) + "/chart").status;
        if (std::chrono::steady_clock::now() < until) { // one that took longer tells nothing
          EXPECT_EQ(status, 200) << project;
        }
      }
    std::this_thread::sleep_for(4s); // past every deadline of a vote
    EXPECT_TRUE(await("the end of reads", [&] { return client.get("/api/v2/projects/1/chart").status == 503; }));
    server.database().start();
    EXPECT_LE(seconds_until_writes(server), bars::writes_after_database * bars::slack());
    EXPECT_TRUE(server.becomes_ready());
  });
  book.resolve_unknown();
  EXPECT_EQ(book.violations(projects), std::vector<std::string>{});
}

TEST(Durability, ASecondServerTakesOverAndTheFirstOneEnds) {
  service server;
  server.start({"--admin", "1"});
  fresh_period(server);
  ledger book{server};
  std::atomic<bool> stop{false};
  std::thread voters{[&] { book.vote(server.voters(), projects, 8, stop); }};
  await("acknowledged votes", [&] { return book.acknowledged() >= 50; });
  const auto second_log = [&] {
    std::ifstream in{server.data_dir() / "second.log"};
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  child_process second{{test::built::executable, "serve", "--data-dir", server.data_dir().string(), "--database-url",
                        server.database().url(), "--port", "0", "--http-operator-port", "0", "--http-admin-port", "0"},
                       (server.data_dir() / "second.log").string()};
  EXPECT_EQ(server.ends(), 6);
  stop = true;
  voters.join();
  EXPECT_TRUE(await("the second server", [&] { return second_log().find("\"ready\"") != std::string::npos; }))
    << second_log();
  EXPECT_TRUE(second.running());
  second.signal(SIGTERM);
  EXPECT_EQ(second.wait(), 0) << second_log();
  server.start({"--admin", "1"});
  book.resolve_unknown();
  EXPECT_EQ(book.violations(projects), std::vector<std::string>{});
}

} // namespace
} // namespace credence::test
