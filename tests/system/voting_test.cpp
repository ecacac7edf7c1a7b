#include "tests/system/ledger.hpp"
#include "tests/system/service.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <future>
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
  EXPECT_NE(balance().find(R"("canVote":true)"), std::string::npos) << balance();
  EXPECT_NE(balance().find(R"("userVote":null)"), std::string::npos) << balance();

  const auto cast =
    client.post(votes_on(2), R"({"voteType":"BULLISH","voteReason":"très bien — ça marche"})", shared().token(2));
  ASSERT_EQ(cast.status, 200) << cast.body;
  EXPECT_NE(cast.body.find(R"("success":true)"), std::string::npos);
  EXPECT_EQ(json_number(cast.body, "/newBalance/bullishVotesCast"), 1);
  EXPECT_EQ(json_text(cast.body, "/userVote/voteType"), "BULLISH");
  EXPECT_EQ(cast.headers.at("cache-control"), "no-store");

  EXPECT_EQ(json_number(balance(), "/balance/bullishVotesCast"), 1);
  EXPECT_EQ(json_text(balance(), "/userVote/voteType"), "BULLISH");
  EXPECT_NE(balance().find(R"("canVote":false)"), std::string::npos);
  const auto voters = client.get("/api/v2/projects/2/voters").body;
  EXPECT_EQ(json_number(voters, "/total"), 1);
  EXPECT_EQ(json_number(voters, "/values/0/user/profileId"), 2);
  EXPECT_EQ(json_text(voters, "/values/0/bullishReasons/0/voteReason"), "très bien — ça marche");
  const auto bulk = client.get("/api/v2/projects/votes/bulk-totals?projectId=2&profileIds=2&profileIds=3").body;
  EXPECT_EQ(json_number(bulk, "/2/totalBullishVotes"), 1);
  EXPECT_EQ(json_number(bulk, "/3/totalBullishVotes"), 0);
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
  EXPECT_EQ(again.status, 400);
  EXPECT_EQ(json_text(again.body, "/code"), "ALREADY_VOTED");
}

TEST(Voting, AnAdvanceReEnablesEveryoneAndClosesThePastForGood) {
  auto client = shared().client();
  ASSERT_EQ(client.post(votes_on(3), R"({"voteType":"BULLISH"})", shared().token(4)).status, 200);
  const auto refused = client.post("/api/v2/projects/votes/reallocate", "", shared().token(4));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(json_text(refused.body, "/code"), "FORBIDDEN");
  const auto before = client.get("/api/v2/projects/3/voters").body;
  const auto advanced = client.post("/api/v2/projects/votes/reallocate", "", shared().token(1));
  ASSERT_EQ(advanced.status, 200) << advanced.body;
  EXPECT_GT(json_number(advanced.body, "/allocationsCreated"), 0);
  EXPECT_EQ(json_number(advanced.body, "/usersAffected"), json_number(advanced.body, "/allocationsCreated"));
  EXPECT_GE(json_number(advanced.body, "/totalVotesAllocated"), json_number(advanced.body, "/usersAffected"));
  EXPECT_EQ(json_number(client.get("/api/v2/projects/3/voters").body, "/total"), 0);
  EXPECT_GE(json_number(client.get("/api/v2/projects/3/voters?scope=global").body, "/total"),
            json_number(before, "/total"));
  EXPECT_EQ(client.post(votes_on(3), R"({"voteType":"BEARISH"})", shared().token(4)).status, 200);
}

TEST(Voting, RefusesWhatItCannotCount) {
  auto client = shared().client();
  const auto& token = shared().token(5);
  struct row {
    std::string target;
    std::string body;
    int status;
    std::string code;
  };
  const std::string long_reason(51, 'x');
  for (const auto& [target, body, status, code] : std::vector<row>{
         {votes_on(1), R"({"voteType":"UP"})", 400, "BAD_REQUEST"},
         {votes_on(1), R"({"voteType":1})", 400, "BAD_REQUEST"},
         {votes_on(1), R"({})", 400, "BAD_REQUEST"},
         {votes_on(1), R"([])", 400, "BAD_REQUEST"},
         {votes_on(1), R"({"voteType":"BULLISH","voteReason":""})", 400, "BAD_REQUEST"},
         {votes_on(1), R"({"voteType":"BULLISH","voteReason":")" + long_reason + "\"}", 400, "BAD_REQUEST"},
         {votes_on(1), R"({"voteType":"BULLISH","voteReason":7})", 400, "BAD_REQUEST"},
         {votes_on(1), R"({"voteType":"BULLISH")", 400, "BAD_REQUEST"},
         {votes_on(1), R"({"voteType":"BULLISH","voteReason":"a\u0000b"})", 400, "BAD_REQUEST"},
         {votes_on(1), "{\"voteType\":\"BULLISH\",\"voteReason\":\"\xff\xfe\"}", 400, "BAD_REQUEST"},
         {votes_on(99999), R"({"voteType":"BULLISH"})", 404, "PROJECT_NOT_FOUND"},
         {"/api/v2/projects/0/votes", R"({"voteType":"BULLISH"})", 400, "BAD_REQUEST"},
         {"/api/v2/projects/2147483648/votes", R"({"voteType":"BULLISH"})", 400, "BAD_REQUEST"},
         {"/api/v2/projects/abc/votes", R"({"voteType":"BULLISH"})", 400, "BAD_REQUEST"},
       }) {
    const auto answer = client.post(target, body, token);
    EXPECT_EQ(answer.status, status) << target << " " << body << " -> " << answer.body;
    EXPECT_EQ(json_text(answer.body, "/code"), code) << body;
    EXPECT_FALSE(json_text(answer.body, "/message").empty());
  }
  EXPECT_EQ(client.post(votes_on(1), R"({"voteType":"BULLISH"})").status, 401);
  EXPECT_EQ(client.post(votes_on(1), R"({"voteType":"BULLISH"})", "not.a.token").status, 401);
}

TEST(Voting, ReasonsAreCountedInCharactersNotBytes) {
  advance_period();
  std::string reason;
  for (int i = 0; i < 50; ++i)
    reason += "é";
  const auto answer =
    shared().client().post(votes_on(1), R"({"voteType":"BULLISH","voteReason":")" + reason + "\"}", shared().token(6));
  EXPECT_EQ(answer.status, 200) << answer.body;
}

TEST(Voting, ClientsThatCastAtOnceAllCountOnce) {
  advance_period();
  ledger book{shared()};
  const std::atomic<bool> stop{false};
  book.vote(shared().voters(), {1, 2, 3, 4}, 16, stop);
  EXPECT_GT(book.count(attempt::acknowledged), 100u);
  EXPECT_EQ(book.count(attempt::unknown), 0u);
  EXPECT_EQ(book.violations({1, 2, 3, 4}), std::vector<std::string>{});
}

TEST(Voting, OneVoterWhoCastsAtOnceFromManyConnectionsCountsOnce) {
  advance_period();
  std::atomic<int> accepted{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 16; ++i)
    clients.emplace_back([&] {
      const auto answer = shared().client().post(votes_on(5), R"({"voteType":"BULLISH"})", shared().token(7));
      accepted += answer.status == 200;
    });
  for (auto& client : clients)
    client.join();
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
      EXPECT_NE(answer.body.find(member), std::string::npos) << member << " is missing in " << target;
    const auto head = client.send("HEAD", target);
    EXPECT_EQ(head.status, 200) << target;
    EXPECT_EQ(head.body, "");
  }
}

TEST(Reads, BadQuestionsAreNamed) {
  auto client = shared().client();
  for (const auto* target :
       {"/api/v2/projects/1/voters?limit=101",
        "/api/v2/projects/1/voters?limit=-1",
        "/api/v2/projects/1/voters?offset=2147483648",
        "/api/v2/projects/1/voters?orderBy=name",
        "/api/v2/projects/1/voters?orderDirection=up",
        "/api/v2/projects/1/voters?sentiment=BULLISH",
        "/api/v2/projects/1/voters?scope=all",
        "/api/v2/projects/1/voters?scope=period",
        "/api/v2/projects/1/voters?scope=global-dates&startDate=2026-01-01",
        "/api/v2/projects/1/voters?scope=global-dates&startDate=2026-13-01&endDate=2026-01-02",
        "/api/v2/projects/1/voters?scope=global-dates&startDate=2026-02-01&endDate=2026-01-02",
        "/api/v2/projects/1/chart?bucket=2%20days",
        "/api/v2/projects/1/chart?scope=global&bucket=1%20minute",
        "/api/v2/projects/votes/bulk-totals",
        "/api/v2/projects/votes/bulk-totals?projectId=1",
        "/api/v2/projects/votes/bulk-totals?projectId=1&profileIds=x",
        "/api/v2/internal/listings?topMoversDays=91",
        "/api/v2/internal/listings?sparklineDays=0",
        "/api/v2/internal/listings?limit=1.5",
        "/api/v2/internal/listings?deltaWindows=1&deltaWindows=2&deltaWindows=3&deltaWindows=4&deltaWindows=5&"
        "deltaWindows=6",
        "/api/v2/projects/1/voters?limit=%zz",
        "/api/v2/projects/1/voters?limit=%00"}) {
    const auto answer = client.get(target);
    EXPECT_EQ(answer.status, 400) << target << " -> " << answer.body.substr(0, 200);
    EXPECT_EQ(json_text(answer.body, "/code"), "BAD_REQUEST") << target;
  }
  EXPECT_EQ(client.get("/api/v2/projects/424242/voters").status, 404);
  EXPECT_EQ(client.get("/api/v2/projects/1/voters?scope=period&year=1999&period=1").status, 404);
  EXPECT_EQ(client.get("/api/v2/nothing").status, 404);
  EXPECT_EQ(client.get("/api/v1/nothing").status, 404);
  EXPECT_EQ(json_text(client.get("/api/v1/nothing").body, "/error/code"), "NOT_FOUND");
  const auto method = client.send("DELETE", "/api/v2/projects/1/voters");
  EXPECT_EQ(method.status, 405);
  EXPECT_NE(method.headers.at("allow").find("GET"), std::string::npos);
}

TEST(Operator, MetricsAndHealthAreOnTheirOwnListener) {
  http_client client{shared().operator_port()};
  const auto metrics = client.get("/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_NE(metrics.body.find("credence_votes_cast_total"), std::string::npos);
  EXPECT_LT(std::count(metrics.body.begin(), metrics.body.end(), '\n'), 4000);
  EXPECT_EQ(client.get("/livez").status, 200);
  EXPECT_EQ(client.get("/readyz?verbose").status, 200);
  EXPECT_EQ(shared().client().get("/metrics").status, 404) << "not for strangers";
}

TEST(Operator, NoTokenEverReachesTheLog) {
  shared().client().get("/api/v2/projects/votes/balance?secret=" + shared().token(2), shared().token(2));
  for (const int profile : shared().voters())
    EXPECT_EQ(shared().log().find(shared().token(profile)), std::string::npos);
}

} // namespace
} // namespace credence::test
