#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/api_tests.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

namespace credence::test {
namespace {

using namespace std::chrono_literals;

/// Waits for midnight (UTC) where a test may last until then: each day begins with an epoch, and ether counts from the
/// next day on.
struct within_a_day {
  within_a_day() {
    const auto now = std::chrono::system_clock::now();
    if (const auto midnight = std::chrono::ceil<std::chrono::days>(now); midnight - now < 60s)
      std::this_thread::sleep_until(midnight);
  }
};

/// Scores that follow from what people write, in the whole service.
struct ScoresOverTheApi : api_tests {
  ScoresOverTheApi() { server.start({"--admin", "1"}); }

  int review(int author, const std::string& score = "positive") {
    return send("POST", "reviews/create", author,
                R"({"subject":")" + someone + R"(","score":")" + score + R"(","comment":"kept its word"})")
      .status;
  }
  int vouch(int author) {
    return send("POST", "vouches/create", author,
                R"({"subject":")" + someone + R"(","amount":"2000000000000000000","unit":"eth"})")
      .status;
  }
  std::string get(const std::string& target) { return server.client().get("/api/v2/" + target).body; }
  std::int64_t score() { return json_number(get("score/userkey?userkey=" + someone), "/score"); }
  std::string breakdown() { return get("score/breakdown?userkey=" + someone); }
  std::int64_t points(const std::string& element) {
    return json_number(breakdown(), "/elements/" + element + "/points");
  }
  /// The score once nothing waits to be worked out and it is shown; threads of the front remember one for up to a
  /// second.
  std::int64_t settled() {
    std::int64_t found = 0;
    const auto rests = [&] {
      found = json_number(breakdown(), "/score");
      return json_text(get("score/status?userkey=" + someone), "/status") == "idle" && score() == found;
    };
    EXPECT_TRUE(await("a score at rest", rests)) << score() << " " << breakdown();
    return found;
  }
  finished check() { return server.command({"score", "recompute", "--check"}); }

  const std::string someone = "service:github:somebody";
  const within_a_day within; // made before the server is
};

TEST_F(ScoresOverTheApi, FollowWhatPeopleWriteAndSayWhy) {
  EXPECT_EQ(json_number(breakdown(), "/score"), 1200) << "nobody knows that account";
  ASSERT_EQ(review(2), 200);
  ASSERT_EQ(review(3), 200);
  const auto praised = settled();
  EXPECT_GT(praised, 1200);
  EXPECT_EQ(praised, 1200 + points("Review Impact"));
  ASSERT_EQ(vouch(4), 200);
  EXPECT_EQ(settled(), praised + points("Number of Vouchers Impact")) << "ether of today counts from tomorrow on";
  EXPECT_EQ(points("Number of Vouchers Impact"), 10);
  EXPECT_EQ(points("Vouched Ethereum Impact"), 0);
  const auto history = get("score/history?duration=7d&userkey=" + someone);
  EXPECT_TRUE(has(history, R"("cause":"api review )", R"("cause":"api vouch 1)", R"("Number of Vouchers Impact":10)"));
  const auto updates = get("score/updates?after=2020-01-01");
  EXPECT_TRUE(has(updates, R"("userkey":")" + someone + R"(")"));
  EXPECT_EQ(json_number(get("score/updates?after=2020-01-01&until=2020-01-02"), "/total"), 0);
  EXPECT_EQ(get("score/updates?after=2020-01-01&until=9999-01-01"), updates);
  EXPECT_EQ(get("score/history?duration=6m&userkey=" + someone), get("score/history?duration=180d&userkey=" + someone));
  EXPECT_EQ(server.client().get("/api/v1/score/" + someone).body, breakdown());
  const auto user = sql("SELECT id FROM users WHERE score <> 1200 ORDER BY id LIMIT 1");
  const auto by_id = get("score/userId?userId=" + user);
  EXPECT_EQ(std::to_string(json_number(by_id, "/score")), sql("SELECT score FROM users WHERE id = " + user)) << by_id;
  const auto by_ids = server.client().send("POST", "/api/v2/score/userIds", with_json({}),
                                           R"({"userIds":[)" + user + ",2147483647," + user + "]}");
  EXPECT_EQ(by_ids.body, "{\"" + user + "\":" + by_id + R"(,"2147483647":{"score":1200,"level":"neutral"}})");
  ASSERT_EQ(send("POST", "reviews/1/archive", 2).status, 200);
  EXPECT_LT(settled(), praised + 10);
  EXPECT_EQ(check().code, 0) << check().out;
}

TEST_F(ScoresOverTheApi, SurviveAKill) {
  ASSERT_EQ(review(2), 200);
  server.kill_hard(); // perhaps before the score was worked out
  server.start({"--admin", "1"});
  const auto before = settled();
  EXPECT_GT(before, 1200);
  server.kill_hard();
  server.start({"--admin", "1"});
  EXPECT_EQ(settled(), before);
  EXPECT_TRUE(sound(server));
}

TEST_F(ScoresOverTheApi, WhatAnArchivedProfileWroteIsCountedInPiecesThroughAKill) {
  constexpr int written = 70; // more than a change counts by itself
  const auto count = [&](const std::string& rows) { return std::stoi(sql("SELECT count(*) FROM " + rows)); };
  const std::string by_them = "score_reviews WHERE author_user = (SELECT user_id FROM profiles WHERE id = 9)";
  for (int i = 0; i < written; ++i)
    ASSERT_EQ(send("POST", "reviews/create", 9,
                   R"({"subject":"service:github:one-)" + std::to_string(i) + R"(","score":"positive","comment":"x"})")
                .status,
              200);
  for (const auto* act : {"archive", "restore"}) {
    ASSERT_EQ(send("POST", std::string{"profiles/9/"} + act, 1).status, 200);
    server.kill_hard();
    server.start({"--admin", "1"});
    ASSERT_EQ(review(2, "neutral"), 200) << "others write on";
    EXPECT_TRUE(await("nothing left to count", [&] { return count("recounts_due") == 0; }));
    EXPECT_GE(count(by_them), written);
    EXPECT_EQ(count(by_them + (std::string{act} == "archive" ? " AND weight > 0" : " AND weight = 0")), 0);
    EXPECT_EQ(check().code, 0) << check().out;
  }
}

TEST_F(ScoresOverTheApi, AreFoundWrongAndWorkedOutAnewAfterAHandHasWritten) {
  ASSERT_EQ(review(2), 200);
  ASSERT_EQ(vouch(3), 200);
  const auto right = settled();
  ASSERT_EQ(check().code, 0) << check().out;
  sql("UPDATE score_inputs SET positive_scores = positive_scores + 1000 WHERE positive > 0");
  const auto found = check();
  EXPECT_EQ(found.code, 7);
  EXPECT_TRUE(has(found.out, "positive reviews"));
  EXPECT_EQ(server.command({"verify"}).code, 7);
  EXPECT_EQ(server.command({"score", "recompute"}).code, 0);
  sql("UPDATE users SET score = 2000 WHERE id IN (SELECT user_id FROM score_inputs WHERE positive > 0)");
  EXPECT_EQ(server.command({"score", "recompute"}).code, 0);
  EXPECT_EQ(settled(), right);
  EXPECT_EQ(check().code, 0) << check().out;
}

TEST_F(ScoresOverTheApi, TurnToAnotherModelOfVouchesWithItsCauseInTheHistory) {
  ASSERT_EQ(vouch(2), 200);
  ASSERT_EQ(review(3), 200);
  sql("UPDATE vouch_parts SET day = day - 100 WHERE contract = 'api' AND number = (SELECT max(number) FROM vouches)");
  const auto standard = settled();
  EXPECT_EQ(json_text(breakdown(), "/metadata/vouchModel"), "standard");
  EXPECT_EQ(points("Vouched Ethereum Impact"), 238) << "270 * 200 / 226";
  server.terminate();
  server.start({"--admin", "1", "--score-vouch-model", "hardened"});
  const auto hardened = settled();
  EXPECT_EQ(json_text(breakdown(), "/metadata/vouchModel"), "hardened");
  EXPECT_EQ(points("Vouched Ethereum Impact"), 186) << "270 * 100 / 145";
  EXPECT_EQ(hardened, standard - 238 + 186);
  EXPECT_TRUE(has(get("score/history?duration=7d&userkey=" + someone), R"("cause":"vouch model hardened")"));
  EXPECT_EQ(check().code, 0) << check().out;
  server.kill_hard();
  server.start({"--admin", "1"});
  EXPECT_EQ(settled(), standard) << "and back";
  EXPECT_EQ(check().code, 0) << check().out;
}

TEST_F(ScoresOverTheApi, InfluenceIsOfWhoStandsBehindAUser) {
  const auto without = [&] {
    return get("internal/users/" + someone).find(R"("influenceFactor":0,"influenceFactorPercentile":0,)")
           != std::string::npos;
  };
  ASSERT_EQ(review(2), 200);
  ASSERT_EQ(vouch(3), 200);
  settled();
  EXPECT_TRUE(without()) << "until the next epoch";
  ASSERT_EQ(server.command({"score", "recompute"}).code, 0);
  EXPECT_TRUE(await("influence", [&] { return !without(); })) << get("internal/users/" + someone);
  settled();
  EXPECT_EQ(check().code, 0) << check().out;
  sql("UPDATE users SET influence_factor = influence_factor + 1 WHERE influence_factor > 0");
  const auto found = check();
  EXPECT_EQ(found.code, 7);
  EXPECT_TRUE(has(found.out, "shows an influence"));
  EXPECT_EQ(server.command({"score", "recompute"}).code, 0);
  settled();
  EXPECT_EQ(check().code, 0) << check().out;
}

TEST_F(ScoresOverTheApi, OfPeopleThatTheDemoMadeStartWhereTheyWere) {
  const auto shown = [&] { return json_number(get("score/userkey?userkey=profileId:5"), "/score"); };
  const auto before = shown();
  const auto untouched = get("score/breakdown?userkey=profileId:5");
  EXPECT_TRUE(tells(untouched, "/score", before, "/metadata/startingScore", before));
  ASSERT_EQ(
    send("POST", "reviews/create", 2, R"({"subject":"profileId:5","score":"positive","comment":"kept its word"})")
      .status,
    200);
  EXPECT_TRUE(await("another score", [&] { return shown() != before; }));
  EXPECT_EQ(json_number(get("score/breakdown?userkey=profileId:5"), "/metadata/startingScore"), before);
}

TEST_F(ScoresOverTheApi, TellWhatAScoreWouldBe) {
  const auto simulate = [&](const std::string& body) {
    return server.client().send("POST", "/api/v1/score/simulate", with_json({}), body);
  };
  EXPECT_EQ(json_number(simulate("{}").body, "/score"), 1200);
  const auto nobody = ok(simulate(
    R"({"reviews":[{"score":"positive","authorScore":2100}],"vouchAmount":1.5,"vouchedDays":180,"numberOfVouchers":14,)"
    R"("votes":{"review":{"upvotes":20,"downvotes":0},"vouch":{"upvotes":30}},)"
    R"("slashes":[{"type":"SOCIAL","amount":100},{"type":"FINANCIAL","amount":50}]})"));
  EXPECT_EQ(json_number(nobody.body, "/elements/Review Impact/points"), 4);
  EXPECT_EQ(json_number(nobody.body, "/elements/Vouched Ethereum Impact/points"), 246) << "270 * 270 / 296";
  EXPECT_TRUE(tells(nobody.body, "/elements/Number of Vouchers Impact/points", 94, "/elements/Vote Impact/points", 25,
                    "/elements/Slash Penalty/points", -100));
  EXPECT_EQ(json_number(nobody.body, "/score"), 1200 + 4 + 246 + 94 + 25 - 100);
  EXPECT_EQ(server.client().send("POST", "/api/v2/score/simulate", with_json({}), "{}").body, simulate("{}").body)
    << "in both versions";
  ASSERT_EQ(vouch(4), 200);
  const auto before = settled();
  const auto more = simulate(R"({"userkey":")" + someone + R"(","numberOfVouchers":1})");
  EXPECT_EQ(json_number(more.body, "/elements/Number of Vouchers Impact/points"), 19) << "270 * 2 / 28";
  EXPECT_EQ(settled(), before) << "nothing is kept";
  for (const auto* bad :
       {"[]", R"({"userkey":"nonsense"})", R"({"vouchAmount":-1})", R"({"vouchAmount":"1"})", R"({"vouchedDays":1.5})",
        R"({"reviews":[{"score":"good"}]})", R"({"reviews":[{"score":"positive","authorScore":2801}]})",
        R"({"slashes":[{"type":"XP","amount":1}]})"})
    EXPECT_EQ(simulate(bad).status, 400) << bad;
  const std::pair<const char*, const char*> votes[] = {
    {R"({"votes":5})", "votes must be an object"},
    {R"({"votes":[]})", "votes must be an object"},
    {R"({"votes":{"review":"3"}})", "votes.review must be an object"},
    {R"({"votes":{"vouch":[5]}})", "votes.vouch must be an object"},
    {R"({"votes":{"review":{"upvotes":"3"}}})", "votes.review.upvotes must be an integer"},
    {R"({"votes":{"vouch":{"downvotes":1.5}}})", "votes.vouch.downvotes must be an integer"},
    {R"({"votes":{"reviews":{"upvotes":3}}})", "votes.reviews is not known here"},
    {R"({"votes":{"review":{"upvote":3}}})", "votes.review.upvote is not known here"},
    {R"({"reviews":[{"score":"positive","authorscore":2000}]})", "reviews.0.authorscore is not known here"},
  };
  for (const auto& [bad, why] : votes) {
    const auto refused = simulate(bad);
    EXPECT_EQ(refused.status, 400) << bad;
    EXPECT_TRUE(has(refused.body, why));
  }
  EXPECT_EQ(simulate(R"({"votes":null})").status, 200);
}

TEST_F(ScoresOverTheApi, SayWhatIsWrongWithAQuestion) {
  for (const auto* bad : {"score/breakdown", "score/breakdown?userkey=nonsense", "score/status",
                          "score/history?userkey=profileId:1&duration=3h", "score/updates",
                          "score/updates?after=yesterday", "score/updates?after=2020-01-01&until=soon", "score/userId",
                          "score/userId?userId=0", "score/userkey?userkey=profileId:1&triggerCalculation=maybe"})
    EXPECT_EQ(server.client().get(std::string{"/api/v2/"} + bad).status, 400) << bad;
  EXPECT_EQ(server.client().get("/api/v1/score/nonsense").status, 400);
  EXPECT_EQ(get("score/history?userkey=" + someone), "[]");
  EXPECT_EQ(get("score/userkey?triggerCalculation=true&userkey=" + someone), get("score/userkey?userkey=" + someone));
  EXPECT_EQ(server.client().send("POST", "/api/v2/score/userIds", with_json({}), R"({"userIds":["7"]})").status, 400);
}

} // namespace
} // namespace credence::test
