#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/service.hpp"
#include "tests/system/signing.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace credence::test {
namespace {

/// Vouches, replies and votes over the API, in the whole service. Profile 1 is an admin.
class VouchesOverTheApi : public testing::Test {
protected:
  VouchesOverTheApi() { server.start({"--admin", "1"}); }

  http_response send(const std::string& method, const std::string& target, int who, const std::string& body = "{}",
                     const std::string& key = {}) {
    return server.client().send(method, "/api/v2/" + target, with_json(by_bearer(server.token(who)), key), body);
  }
  http_response vouch(int author, const std::string& subject, const std::string& amount = R"("amount":5)") {
    return send("POST", "vouches/create", author, R"({"subject":")" + subject + R"(",)" + amount + "}");
  }
  http_response vote(int voter, bool up, const std::string& text = R"("type":"vouch","id":1)",
                     const std::string& key = {}) {
    return send("PUT", "votes", voter, "{" + text + R"(,"isUpvote":)" + (up ? "true}" : "false}"), key);
  }
  http_response reply(int author, const std::string& more = {}) {
    return send("POST", "replies/create", author, R"({"type":"vouch","id":1,"content":"so it was")" + more + "}");
  }
  static std::string code(const http_response& of) {
    return std::to_string(of.status) + " " + json_text(of.body, "/code");
  }
  std::string tally() {
    return server.database().sql(
      "SELECT up || '/' || down || '/' || replies FROM activity_tallies WHERE kind = 'vouch' AND target_id = 1");
  }
  void expect_sound() {
    const auto found = server.command({"verify"});
    EXPECT_EQ(found.code, 0) << found.out << found.err;
  }

  service server;
};

TEST_F(VouchesOverTheApi, HaveTheShapeOfTheSpec) {
  const auto made = vouch(2, "profileId:3", R"("amount":5,"comment":"stands for it")");
  ASSERT_EQ(made.status, 200) << made.body;
  const auto at = std::to_string(json_number(made.body, "/activityCheckpoints/vouchedAt"));
  EXPECT_EQ(
    made.body,
    R"({"id":1,"contract":"vouch","authorProfileId":2,"authorAddress":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","subjectProfileId":3,)"
    R"("subjectAddress":null,"attestationHash":null,"attestationDetails":null,"subjectUserkey":"profileId:3","token":"eth",)"
    R"("staked":"5000000000000000","deposited":"5000000000000000","balance":"5000000000000000","withdrawn":"0",)"
    R"("comment":"stands for it","metadata":"","archived":false,"unhealthy":false,"activityCheckpoints":{"vouchedAt":)"
      + at + R"(,"unvouchedAt":0,"unhealthyAt":0}})");
  EXPECT_EQ(server.client().get("/api/v2/vouches/1").body,
            made.body.substr(0, made.body.size() - 1) + R"(,"mutualId":null})");
  const auto stranger =
    vouch(2, "address:0x00000000000000000000000000000000000000AA", R"("amount":"12","unit":"whuf")");
  EXPECT_EQ(json_text(stranger.body, "/balance"), "12") << stranger.body;
  EXPECT_EQ(json_text(stranger.body, "/subjectAddress"), "0x00000000000000000000000000000000000000AA");
  expect_sound();
}

TEST_F(VouchesOverTheApi, GrowShrinkAndEnd) {
  const auto sums = [&] {
    return server.database().sql(
      "SELECT received_count || ' ' || received_wei FROM user_vouches v JOIN profiles p USING (user_id)"
      " WHERE p.id = 60 AND token = 'eth'");
  };
  server.database().sql("DELETE FROM user_vouches WHERE user_id = (SELECT user_id FROM profiles WHERE id = 60)");
  ASSERT_EQ(vouch(2, "profileId:60").status, 200);
  EXPECT_EQ(sums(), "1 5000000000000000");
  EXPECT_EQ(code(vouch(2, "profileId:60")), "409 ALREADY_VOUCHED");
  EXPECT_EQ(json_text(send("POST", "vouches/1/increase", 2, R"({"amount":2})").body, "/balance"), "7000000000000000");
  EXPECT_EQ(json_text(send("POST", "vouches/1/decrease", 2, R"({"amount":"1000000000000000","unit":"eth"})").body,
                      "/withdrawn"),
            "1000000000000000");
  EXPECT_EQ(sums(), "1 6000000000000000");
  EXPECT_EQ(code(send("POST", "vouches/1/decrease", 2, R"({"amount":6})")), "400 INVALID_AMOUNT");
  EXPECT_EQ(code(send("POST", "vouches/1/increase", 3, R"({"amount":6})")), "403 FORBIDDEN");
  EXPECT_EQ(code(send("POST", "vouches/1/unhealthy", 2)), "409 VOUCH_ACTIVE");
  const auto tried = send("POST", "vouches/1/withdraw?dryRun=true", 2);
  EXPECT_EQ(json_text(tried.body, "/balance"), "0") << tried.body;
  EXPECT_EQ(sums(), "1 6000000000000000") << "tried only";
  EXPECT_EQ(json_text(send("POST", "vouches/1/withdraw", 2).body, "/withdrawn"), "7000000000000000");
  EXPECT_EQ(sums(), "0 0");
  EXPECT_EQ(code(send("POST", "vouches/1/increase", 2, R"({"amount":6})")), "409 RECORD_ARCHIVED");
  const auto unhealthy = send("POST", "vouches/1/unhealthy", 2, "{}", "a-key");
  EXPECT_NE(unhealthy.body.find(R"("unhealthy":true)"), std::string::npos) << unhealthy.body;
  EXPECT_EQ(send("POST", "vouches/1/unhealthy", 2, "{}", "a-key").body, unhealthy.body);
  EXPECT_EQ(vouch(2, "profileId:60").status, 200) << "another one";
  expect_sound();
}

TEST_F(VouchesOverTheApi, SayWhatIsWrong) {
  EXPECT_EQ(code(vouch(2, "profileId:2")), "400 CANNOT_VOUCH_SELF");
  EXPECT_EQ(code(vouch(2, "profileId:999999")), "404 NOT_FOUND");
  for (const auto* amount :
       {R"("amount":0)", R"("amount":-1)", R"("amount":1.5)", R"("amount":"x")", R"("unit":"eth")",
        R"("amount":1,"unit":"usd")", R"("amount":"10000000000000000000000000000000000001","unit":"eth")"})
    EXPECT_EQ(vouch(2, "profileId:3", amount).status, 400) << amount;
  EXPECT_EQ(server.client().get("/api/v2/vouches/1").status, 404);
  EXPECT_EQ(code(send("POST", "vouches/1/withdraw", 2)), "404 NOT_FOUND");
}

TEST_F(VouchesOverTheApi, TakeRepliesAndVotes) {
  EXPECT_EQ(code(reply(3)), "404 NOT_FOUND");
  EXPECT_EQ(code(vote(3, true)), "404 NOT_FOUND");
  ASSERT_EQ(vouch(2, "profileId:3").status, 200);
  const auto first = reply(3);
  ASSERT_EQ(first.status, 200) << first.body;
  const auto at = std::to_string(json_number(first.body, "/createdAt"));
  EXPECT_EQ(first.body,
            R"({"id":1,"contractType":"vouch","targetId":1,"parentId":null,"authorProfileId":3,"createdAt":)" + at
              + R"(,"updatedAt":)" + at + R"(,"content":"so it was","metadata":"","edits":0,"pinned":false})");
  EXPECT_EQ(json_number(reply(2, R"(,"parentId":1)").body, "/parentId"), 1);
  EXPECT_EQ(code(reply(2, R"(,"parentId":7)")), "404 NOT_FOUND");
  EXPECT_EQ(json_text(send("PATCH", "replies/1", 3, R"({"content":"so it is"})").body, "/content"), "so it is");
  EXPECT_EQ(json_text(server.client().get("/api/v2/replies/1").body, "/content"), "so it is");
  EXPECT_EQ(code(send("PATCH", "replies/1", 2, R"({"content":"not mine"})")), "403 FORBIDDEN");
  const auto up = vote(3, true, R"("type":"vouch","id":1)", "a-vote");
  ASSERT_EQ(up.status, 200) << up.body;
  EXPECT_EQ(vote(3, true, R"("type":"vouch","id":1)", "a-vote").body, up.body) << "the same request withdraws nothing";
  EXPECT_EQ(vote(4, false).status, 200);
  EXPECT_EQ(tally(), "1/1/2");
  EXPECT_EQ(vote(3, true).body, up.body) << "nor does the same vote without a key, as proxies repeat it";
  EXPECT_EQ(tally(), "1/1/2");
  const auto withdraw = [&](int voter, const std::string& more = {}) {
    return send("DELETE", "votes?type=vouch&activityId=1" + more, voter);
  };
  EXPECT_NE(withdraw(3, "&dryRun=true").body.find(R"("isArchived":true)"), std::string::npos);
  EXPECT_EQ(tally(), "1/1/2") << "that was only tried";
  const auto gone = withdraw(3);
  EXPECT_NE(gone.body.find(R"("isUpvote":true,"isArchived":true)"), std::string::npos) << gone.body;
  EXPECT_EQ(withdraw(3).body, gone.body);
  EXPECT_EQ(code(withdraw(5)), "404 NOT_FOUND");
  EXPECT_EQ(send("DELETE", "votes?type=vouch", 3).status, 400);
  EXPECT_EQ(vote(4, true).status, 200);
  EXPECT_EQ(tally(), "1/0/2");
  EXPECT_EQ(vote(4, true, R"("type":"project","id":1)").status, 200);
  EXPECT_EQ(vote(4, true, R"("type":"discussion","id":2)").status, 200);
  for (const auto* bad : {R"("type":"vouch")", R"("type":"wish","id":1)", R"("type":"vouch","id":0)"})
    EXPECT_EQ(vote(4, true, bad).status, 400) << bad;
  EXPECT_EQ(send("PUT", "votes", 4, R"({"type":"vouch","id":1})").status, 400);
  EXPECT_EQ(send("PUT", "votes", 4, R"({"type":"vouch","id":1,"isUpvote":"yes"})").status, 400);
  expect_sound();
}

TEST_F(VouchesOverTheApi, OfManyAtOnceHaveOneOutcomeEach) {
  constexpr int people = 6, each = 10;
  ASSERT_EQ(vouch(2, "profileId:3").status, 200);
  std::vector<std::thread> all;
  std::vector<int> vouched(people);
  for (int i = 0; i < people; ++i)
    all.emplace_back([&, i] {
      auto client = server.client();
      const auto token = server.token(4 + i);
      const auto ask = [&](const std::string& method, const std::string& target, const std::string& body) {
        for (;;) {
          const auto answer = client.send(method, "/api/v2/" + target, with_json(by_bearer(token)), body);
          if (answer.status != 429 && answer.status != 503)
            return answer.status;
        }
      };
      for (int n = 0; n < each; ++n) {
        vouched[static_cast<std::size_t>(i)] +=
          ask("POST", "vouches/create", R"({"subject":"service:github:one","amount":1})") == 200;
        ask("POST", "replies/create", R"({"type":"vouch","id":1,"content":"x"})");
        ask("PUT", "votes", R"({"type":"vouch","id":1,"isUpvote":true})");
        ask("POST", "reviews/create", R"({"subject":"service:github:one","score":"neutral","comment":"x"})");
      }
    });
  for (auto& one : all)
    one.join();
  for (const auto count : vouched)
    EXPECT_EQ(count, 1) << "one active vouch of a pair";
  EXPECT_EQ(tally(), "6/0/60") << "one vote of each, however often it was put";
  EXPECT_EQ(server.database().sql("SELECT count(*) || ' ' || max(number) FROM activity_votes"), "6 6");
  EXPECT_EQ(server.database().sql("SELECT count(*) || ' ' || max(id) FROM reviews"), "60 60");
  expect_sound();
}

} // namespace
} // namespace credence::test
