#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/ledger.hpp"
#include "tests/waiting.hpp"

#include <simdjson.h>

#include <thread>

namespace credence::test {
namespace {

/// One service for the tests that do not break it.
service& shared() {
  return shared_service([](service& one) { one.start({"--admin", "1"}); });
}

std::string votes_on(int project) { return "/api/v2/projects/" + std::to_string(project) + "/votes"; }

void advance_period() {
  ASSERT_EQ(shared().client().post("/api/v2/projects/votes/reallocate", "", shared().token(1)).status, 200);
}

TEST(Voting, AVoteIsReceivedCountedAndShownEverywhere) {
  advance_period();
  auto client = shared().client();
  const auto balance = [&] { return client.get("/api/v2/projects/votes/balance?projectId=2", shared().token(2)).body; };
  EXPECT_EQ(json_number(balance(), "/balance/bullishVotesCast"), 0);
  EXPECT_TRUE(has(balance(), R"("canVote":true)"));
  EXPECT_TRUE(has(balance(), R"("userVote":null)"));

  const auto cast =
    ok(client.post(votes_on(2), R"({"voteType":"BULLISH","voteReason":"très bien — ça marche"})", shared().token(2)));
  EXPECT_TRUE(has(cast.body, R"("success":true)"));
  EXPECT_TRUE(tells(cast.body, "/newBalance/bullishVotesCast", 1, "/userVote/voteType", "BULLISH"));
  EXPECT_EQ(cast.headers.at("cache-control"), "no-store");

  EXPECT_EQ(json_number(balance(), "/balance/bullishVotesCast"), 1);
  EXPECT_EQ(json_text(balance(), "/userVote/voteType"), "BULLISH");
  EXPECT_TRUE(has(balance(), R"("canVote":false)"));
  const auto voters = client.get("/api/v2/projects/2/voters").body;
  EXPECT_TRUE(tells(voters, "/total", 1, "/values/0/user/profileId", 2, "/values/0/bullishReasons/0/voteReason",
                    "très bien — ça marche"));
  const auto bulk = client.get("/api/v2/projects/votes/bulk-totals?projectId=2&profileIds=2&profileIds=3").body;
  EXPECT_TRUE(tells(bulk, "/2/totalBullishVotes", 1, "/3/totalBullishVotes", 0));
  const auto chart = client.get("/api/v2/projects/2/chart?bucket=1+day").body;
  simdjson::dom::parser parser;
  std::int64_t charted = 0;
  const auto points = parser.parse(chart).get_array().value();
  for (const auto point : points)
    charted += point["bullishVotes"].get_int64().value();
  EXPECT_EQ(charted, 1);
  const auto listings = client.get("/api/v2/internal/listings").body;
  EXPECT_EQ(json_number(listings, "/projects/0/id"), 2) << "the only project with a vote leads the list";
  EXPECT_EQ(json_number(listings, "/projects/0/votes/bullish/total"), 1);

  const auto again = client.post(votes_on(2), R"({"voteType":"BEARISH"})", shared().token(2));
  EXPECT_EQ(code(again), "400 ALREADY_VOTED");
}

TEST(Voting, AnAdvanceReEnablesEveryoneAndClosesThePastForGood) {
  auto client = shared().client();
  ASSERT_EQ(client.post(votes_on(3), R"({"voteType":"BULLISH"})", shared().token(4)).status, 200);
  const auto refused = client.post("/api/v2/projects/votes/reallocate", "", shared().token(4));
  EXPECT_EQ(code(refused), "403 FORBIDDEN");
  const auto before = client.get("/api/v2/projects/3/voters").body;
  const auto advanced = ok(client.post("/api/v2/projects/votes/reallocate", "", shared().token(1)));
  EXPECT_GT(json_number(advanced.body, "/allocationsCreated"), 0);
  EXPECT_EQ(json_number(advanced.body, "/usersAffected"), json_number(advanced.body, "/allocationsCreated"));
  EXPECT_GE(json_number(advanced.body, "/totalVotesAllocated"), json_number(advanced.body, "/usersAffected"));
  EXPECT_EQ(json_number(client.get("/api/v2/projects/3/voters").body, "/total"), 0);
  EXPECT_GE(json_number(client.get("/api/v2/projects/3/voters?scope=global").body, "/total"),
            json_number(before, "/total"));
  EXPECT_EQ(client.post(votes_on(3), R"({"voteType":"BEARISH"})", shared().token(4)).status, 200);
}

/// Bodies of every kind: `Hostile.*`.
TEST(Voting, RefusesWhatItCannotCount) {
  auto client = shared().client();
  const auto& token = shared().token(5);
  const std::string vote = R"({"voteType":"BULLISH"})";
  EXPECT_EQ(code(client.post(votes_on(1), R"({"voteType":"UP"})", token)), "400 BAD_REQUEST");
  EXPECT_EQ(code(client.post(votes_on(99999), vote, token)), "404 PROJECT_NOT_FOUND");
  for (const auto* id : {"0", "2147483648", "abc"})
    EXPECT_EQ(code(client.post("/api/v2/projects/" + std::string{id} + "/votes", vote, token)), "400 BAD_REQUEST");
  EXPECT_EQ(client.post(votes_on(1), vote).status, 401);
  EXPECT_EQ(client.post(votes_on(1), vote, "not.a.token").status, 401);
}

TEST(Voting, OneVoterWhoCastsAtOnceFromManyConnectionsCountsOnce) {
  advance_period();
  std::atomic<int> accepted{0};
  at_once(16, [&] {
    const auto answer = shared().client().post(votes_on(5), R"({"voteType":"BULLISH"})", shared().token(7));
    accepted += answer.status == 200;
  });
  EXPECT_EQ(accepted, 1);
  EXPECT_EQ(json_number(shared().client().get("/api/v2/projects/5/voters").body, "/totals/totalVoters"), 1);
}

TEST(Voting, VotesThatRaceWithAnAdvanceLandInExactlyOnePeriod) {
  advance_period();
  ledger book{shared()};
  std::atomic<bool> stop{false};
  std::thread admin{[&] {
    auto client = shared().client();
    for (int i = 0; i < 10; ++i)
      EXPECT_EQ(client.post("/api/v2/projects/votes/reallocate", "", shared().token(1)).status, 200);
  }};
  book.vote(shared().voters(), {1, 2, 3, 4, 5}, 8, stop);
  admin.join();
  EXPECT_GT(book.count(attempt::acknowledged), 100u);
  EXPECT_EQ(book.count(attempt::unknown), 0u);
  EXPECT_EQ(book.violations({1, 2, 3, 4, 5}), std::vector<std::string>{});
  // The sum over all periods is everything there is.
  auto client = shared().client();
  for (const int project : {1, 2, 3}) {
    std::int64_t sum = 0;
    const auto base = "/api/v2/projects/" + std::to_string(project) + "/voters?limit=1";
    const auto now = client.get("/api/v2/projects/votes/balance", shared().token(1)).body;
    const int year = std::stoi(json_text(now, "/balance/allocationResetDate"));
    for (int y = year - 2; y <= year; ++y)
      for (int number = 1; number <= 60; ++number) { // demo periods are numbered like their months
        const auto page =
          client.get(base + "&scope=period&year=" + std::to_string(y) + "&period=" + std::to_string(number));
        if (page.status == 404)
          continue;
        ASSERT_EQ(page.status, 200) << page.body;
        sum +=
          json_number(page.body, "/totals/totalBullishVotes") + json_number(page.body, "/totals/totalBearishVotes");
      }
    const auto all = client.get(base + "&scope=global").body;
    EXPECT_EQ(sum, json_number(all, "/totals/totalBullishVotes") + json_number(all, "/totals/totalBearishVotes"));
  }
}

TEST(Reads, EveryEndpointAnswersItsShape) {
  auto client = shared().client();
  struct row {
    std::string target;
    std::vector<std::string> members;
  };
  for (const auto& [target, members] : std::vector<row>{
         {"/api/v2/healthcheck", {"\"ok\":true"}},
         {"/livez", {"\"ok\":true"}},
         {"/readyz", {}},
         {"/api/v2/projects/1/voters?scope=global&limit=5&orderBy=updatedAt&orderDirection=asc&sentiment=bullish",
          {"\"values\"", "\"total\"", "\"limit\":5", "\"offset\":0", "\"totalBearishVotes\"", "\"firstVoteAt\"",
           "\"bearishReasons\"", "\"vouchTotals\"", "\"scoreBreakdown\"", "\"influenceFactorPercentile\""}},
         {"/api/v2/projects/1/chart?scope=global", {"\"timeBucket\"", "\"totalBullishVotes\"", "\"uniqueVoters\""}},
         {"/api/v2/projects/1/chart?scope=global-dates&startDate=2024-01-01&endDate=2026-01-01&bucket=1%20month",
          {"\"timeBucket\""}},
         {"/api/v2/internal/listings?sparklineDays=7&deltaWindows=1&deltaWindows=7&limit=3",
          {"\"projects\"", "\"archivedProjects\"", "\"total\"", "\"topMovers\"", "\"lifetime\"", "\"sparkline\"",
           "\"deltas\"", "\"categories\"", "\"chains\"", "\"commentCount\"", "\"topVoters\""}},
         {"/api/v2/internal/listings/no-such-listing", {"null"}},
       }) {
    const auto answer = client.get(target);
    EXPECT_EQ(answer.status, 200) << target << " -> " << answer.body.substr(0, 300);
    for (const auto& member : members)
      EXPECT_TRUE(has(answer.body, member)) << member << " is missing in " << target;
    const auto head = ok(client.send("HEAD", target));
    EXPECT_EQ(head.body, "");
  }
}

/// Parameters of every kind: `Hostile.*`.
TEST(Reads, BadQuestionsAreNamed) {
  auto client = shared().client();
  EXPECT_EQ(code(client.get("/api/v2/projects/1/voters?limit=101")), "400 BAD_REQUEST");
  EXPECT_EQ(client.get("/api/v2/projects/424242/voters").status, 404);
  EXPECT_EQ(client.get("/api/v2/projects/1/voters?scope=period&year=1999&period=1").status, 404);
  EXPECT_EQ(client.get("/api/v2/nothing").status, 404);
  EXPECT_EQ(json_text(client.get("/api/v1/nothing").body, "/error/code"), "NOT_FOUND");
  const auto method = client.send("DELETE", "/api/v2/projects/1/voters");
  EXPECT_EQ(method.status, 405);
  EXPECT_TRUE(has(method.headers.at("allow"), "GET"));
}

TEST(Operator, MetricsAndHealthAreOnTheirOwnListener) {
  http_client client{shared().operator_port()};
  const auto metrics = ok(client.get("/metrics"));
  EXPECT_TRUE(has(metrics.body, "credence_votes_cast_total"));
  EXPECT_LT(std::count(metrics.body.begin(), metrics.body.end(), '\n'), 4000);
  EXPECT_EQ(client.get("/livez").status, 200);
  EXPECT_EQ(client.get("/readyz?verbose").status, 200);
  EXPECT_EQ(shared().client().get("/metrics").status, 404) << "not for strangers";
}

TEST(Operator, NoTokenEverReachesTheLog) {
  shared().client().get("/api/v2/projects/votes/balance?secret=" + shared().token(2), shared().token(2));
  for (const int profile : shared().voters())
    EXPECT_FALSE(has(shared().log(), shared().token(profile)));
}

constexpr int profiles = 400;
constexpr int archived = 40;
constexpr int first_archived = 200; // and on: what other programs archive while all of them vote

struct ArchivedVoters : testing::Test {
  ArchivedVoters() {
    server.start({"--admin", "1", "--http-rate-limits", "false"});
    EXPECT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  }

  /// Every live profile votes on every project while one profile after the other is archived.
  void vote_while_some_are_archived() {
    std::atomic<bool> stop{false};
    const auto archive = [this](int i) {
      server.database().sql("UPDATE profiles SET archived = true WHERE id = " + std::to_string(first_archived + i));
    };
    for (int i = 0; i < 4; ++i)
      archive(i);
    std::thread other{[&] {
      for (int i = 4; i < archived; ++i)
        archive(i);
    }};
    std::vector<int> voters; // those who are archived first, before the server looks at everybody again by itself
    for (int i = 0; i < archived; ++i)
      voters.push_back(first_archived + i);
    voters.insert(voters.end(), server.voters().begin(), server.voters().end());
    history.vote(voters, projects, 16, stop);
    other.join();
  }
  std::int64_t refused_by_the_database() {
    const auto metrics = http_client{server.operator_port()}.get("/metrics").body;
    const std::string name = "\ncredence_store_changes_failed_total ";
    return std::stoll(metrics.substr(metrics.find(name) + name.size()));
  }
  static bool was_archived(int profile) { return profile >= first_archived && profile < first_archived + archived; }

  service server{service::size{profiles, 8, 500}};
  ledger history{server};
  const std::vector<int> projects{1, 2, 3};
};

/// Other programs archive people while those vote, and nobody tells: the database has to refuse
/// their votes. They are told why, and whoever shares a batch with them notices nothing.
TEST_F(ArchivedVoters, AreToldSoByTheDatabaseAndNobodyElseNotices) {
  server.database().sql("ALTER TABLE profiles DISABLE TRIGGER tell_changed");
  vote_while_some_are_archived();
  EXPECT_EQ(history.count(attempt::unknown), 0u) << "of " << history.attempts().size();
  for (const auto& each : history.attempts())
    if (each.fate == attempt::refused) {
      EXPECT_TRUE(was_archived(each.profile)) << each.profile;
    }
  EXPECT_EQ(history.violations(projects), std::vector<std::string>{});
  EXPECT_GT(refused_by_the_database(), 0) << "none of them voted in time: the test shows nothing";
}

/// Where it is told, their votes do not reach the database.
TEST_F(ArchivedVoters, AreKnownBeforeTheirVotesReachTheDatabase) {
  server.database().sql("UPDATE profiles SET archived = true WHERE id BETWEEN 300 AND 339");
  auto client = server.client();
  const auto status = [&] {
    return client.post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(300)).status;
  };
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  for (; status() != 403; std::this_thread::sleep_for(std::chrono::milliseconds{5}))
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
  const auto before = refused_by_the_database();
  for (int profile = 301; profile < 340; ++profile)
    if (const auto& voters = server.voters(); std::find(voters.begin(), voters.end(), profile) != voters.end()) {
      const auto answer = client.post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(profile));
      EXPECT_EQ(code(answer), "403 PROFILE_NOT_LIVE") << answer.body;
    }
  EXPECT_EQ(refused_by_the_database(), before);
}

} // namespace
} // namespace credence::test
