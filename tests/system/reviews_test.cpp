#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/api_tests.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

#include <set>

namespace credence::test {
namespace {

constexpr auto stranger = "address:0x00000000000000000000000000000000000000AA";

/// Reviews over the API, in the whole service. Profile 1 is an admin.
struct ReviewsOverTheApi : api_tests {
  ReviewsOverTheApi() { server.start({"--admin", "1"}); }

  http_response send(const std::string& method, const std::string& target, int who, const std::string& body = "{}",
                     const std::string& key = {}) {
    return server.client().send(method, "/api/v2/reviews/" + target, with_json(by_bearer(server.token(who)), key),
                                body);
  }
  std::string rows() { return sql("SELECT count(*) FROM reviews"); }
};

TEST_F(ReviewsOverTheApi, HaveTheShapeOfTheSpec) {
  const auto made = ok(review(2, stranger, "negative"));
  const auto at = std::to_string(json_number(made.body, "/createdAt"));
  EXPECT_EQ(
    made.body,
    R"({"id":1,"authorProfileId":2,"author":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8",)"
    R"("subject":"0x00000000000000000000000000000000000000AA","attestationDetails":{"account":"","service":""},)"
    R"("subjectUserkey":"address:0x00000000000000000000000000000000000000AA","score":"negative","comment":"kept its word",)"
    R"("metadata":"","archived":false,"createdAt":)"
      + at + R"(,"updatedAt":)" + at + R"(,"edits":0})");
  EXPECT_EQ(server.client().get("/api/v2/reviews/1").body, made.body);
  EXPECT_EQ(received(stranger, "negative"), 1) << "who was nobody is a user now";
  const auto of_account = review(2, "service:github:some-one");
  EXPECT_TRUE(tells(of_account.body, "/attestationDetails/account", "some-one", "/subject",
                    "0x0000000000000000000000000000000000000000"));
  EXPECT_EQ(received("service:github:some-one", "positive"), 1);
  const auto before = received("profileId:3", "positive");
  EXPECT_EQ(review(2, "profileId:3").status, 200);
  EXPECT_EQ(received("profileId:3", "positive"), before + 1);
  EXPECT_TRUE(sound(server));
}

TEST_F(ReviewsOverTheApi, AreEditedArchivedAndRestored) {
  ASSERT_EQ(review(2, stranger).status, 200);
  const auto edited = send("PATCH", "1", 2, R"({"comment":"kept it late"})");
  EXPECT_TRUE(tells(edited.body, "/comment", "kept it late", "/edits", 1));
  EXPECT_EQ(code(send("PATCH", "1", 3, R"({"comment":"not mine"})")), "403 FORBIDDEN");
  EXPECT_EQ(code(send("POST", "1/archive", 3)), "403 FORBIDDEN");
  EXPECT_EQ(send("POST", "1/archive", 1).status, 200) << "an admin";
  EXPECT_EQ(received(stranger, "positive"), 0);
  EXPECT_EQ(code(send("PATCH", "1", 2, R"({"comment":"too late"})")), "409 RECORD_ARCHIVED");
  EXPECT_EQ(code(send("POST", "1/restore", 2)), "403 FORBIDDEN")
    << "what an admin archived its author does not restore";
  EXPECT_EQ(send("POST", "1/restore", 1).status, 200);
  EXPECT_EQ(received(stranger, "positive"), 1);
  EXPECT_EQ(send("POST", "1/archive", 2).status, 200);
  EXPECT_EQ(send("POST", "1/restore", 2).status, 200) << "what an author archived";
  EXPECT_EQ(code(send("POST", "9/archive", 2)), "404 NOT_FOUND");
  EXPECT_EQ(sql("SELECT string_agg(act, ',' ORDER BY number) FROM audit_log WHERE act LIKE 'review%'"),
            "review_created,review_edited,review_archived,review_restored,review_archived,review_restored");
}

TEST_F(ReviewsOverTheApi, SayWhatIsWrong) {
  EXPECT_EQ(code(review(2, "profileId:2")), "400 CANNOT_REVIEW_SELF");
  EXPECT_EQ(code(review(2, "profileId:999999")), "404 NOT_FOUND");
  EXPECT_EQ(code(review(2, "address:0x0000000000000000000000000000000000000000")), "400 BAD_REQUEST");
  EXPECT_EQ(code(review(2, stranger, "great")), "400 BAD_REQUEST");
  for (const auto* body : {"", "{}", "[]", R"({"subject":"profileId:3","score":"positive"})",
                           R"({"subject":"profileId:3","score":"positive","comment":""})",
                           R"({"subject":7,"score":"positive","comment":"x"})"})
    EXPECT_EQ(send("POST", "create", 2, body).status, 400) << body;
  const auto longest = std::string(2000, 'x');
  EXPECT_EQ(
    send("POST", "create", 2, R"({"subject":"profileId:3","score":"positive","comment":")" + longest + R"(x"})").status,
    400);
  EXPECT_EQ(
    send("POST", "create", 2, R"({"subject":"profileId:3","score":"positive","comment":")" + longest + R"("})").status,
    200);
  EXPECT_EQ(send("PATCH", "1", 2, "{}").status, 400);
  EXPECT_EQ(send("POST", "zero/archive", 2).status, 400);
  EXPECT_EQ(server.client().send("POST", "/api/v2/reviews/create", with_json({}), "{}").status, 401);
  EXPECT_EQ(server.client().get("/api/v2/reviews/2").status, 404);
  sql("UPDATE profiles SET archived = true WHERE id = 4");
  EXPECT_EQ(code(review(4, stranger)), "403 PROFILE_NOT_LIVE");
  EXPECT_EQ(rows(), "1");
}

TEST_F(ReviewsOverTheApi, OfManyAtOnceAreNumberedWithoutGaps) {
  constexpr int authors = 8, each = 12;
  std::vector<std::set<std::int64_t>> ids(authors);
  at_once(authors, [&](int i) {
    auto client = server.client();
    for (int n = 0; n < each; ++n) {
      // All name strangers whom the others name, too.
      const auto body =
        R"({"subject":"service:github:new-)" + std::to_string(n) + R"(","score":"positive","comment":"x"})";
      const auto made = post_until_decided(client, "/api/v2/reviews/create", body, by_bearer(server.token(2 + i)));
      if (made.status == 200)
        ids[static_cast<std::size_t>(i)].insert(json_number(made.body, "/id"));
    }
  });
  std::set<std::int64_t> given;
  for (const auto& one : ids)
    given.insert(one.begin(), one.end());
  EXPECT_EQ(given.size(), static_cast<std::size_t>(authors * each)) << "each has a number of its own";
  EXPECT_EQ(*given.rbegin(), authors * each);
  EXPECT_EQ(sql("SELECT count(DISTINCT user_id) FROM subjects"), std::to_string(each)) << "one user for each stranger";
  EXPECT_EQ(received("service:github:new-3", "positive"), authors);
  EXPECT_TRUE(sound(server));
}

/// Vouches, replies and votes over the API, in the whole service. Profile 1 is an admin.
struct VouchesOverTheApi : api_tests {
  VouchesOverTheApi() { server.start({"--admin", "1"}); }

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
  std::string tally() {
    return sql(
      "SELECT up || '/' || down || '/' || replies FROM activity_tallies WHERE kind = 'vouch' AND target_id = 1");
  }
};

TEST_F(VouchesOverTheApi, HaveTheShapeOfTheSpec) {
  const auto made = ok(vouch(2, "profileId:3", R"("amount":5,"comment":"stands for it")"));
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
  const auto nobody_known =
    vouch(2, "address:0x00000000000000000000000000000000000000AA", R"("amount":"12","unit":"whuf")");
  EXPECT_TRUE(
    tells(nobody_known.body, "/balance", "12", "/subjectAddress", "0x00000000000000000000000000000000000000AA"));
  expect_sound();
}

TEST_F(VouchesOverTheApi, GrowShrinkAndEnd) {
  const auto sums = [&] {
    return sql("SELECT received_count || ' ' || received_wei FROM user_vouches v JOIN profiles p USING (user_id)"
               " WHERE p.id = 60 AND token = 'eth'");
  };
  sql("DELETE FROM user_vouches WHERE user_id = (SELECT user_id FROM profiles WHERE id = 60)");
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
  EXPECT_TRUE(tells(send("POST", "vouches/1/withdraw?dryRun=true", 2).body, "/balance", "0"));
  EXPECT_EQ(sums(), "1 6000000000000000") << "tried only";
  EXPECT_EQ(json_text(send("POST", "vouches/1/withdraw", 2).body, "/withdrawn"), "7000000000000000");
  EXPECT_EQ(sums(), "0 0");
  EXPECT_EQ(code(send("POST", "vouches/1/increase", 2, R"({"amount":6})")), "409 RECORD_ARCHIVED");
  const auto unhealthy = send("POST", "vouches/1/unhealthy", 2, "{}", "a-key");
  EXPECT_TRUE(has(unhealthy.body, R"("unhealthy":true)"));
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
  const auto first = ok(reply(3));
  const auto at = std::to_string(json_number(first.body, "/createdAt"));
  EXPECT_EQ(first.body,
            R"({"id":1,"contractType":"vouch","targetId":1,"parentId":null,"authorProfileId":3,"createdAt":)" + at
              + R"(,"updatedAt":)" + at + R"(,"content":"so it was","metadata":"","edits":0,"pinned":false})");
  EXPECT_EQ(json_number(reply(2, R"(,"parentId":1)").body, "/parentId"), 1);
  EXPECT_EQ(code(reply(2, R"(,"parentId":7)")), "404 NOT_FOUND");
  EXPECT_EQ(json_text(send("PATCH", "replies/1", 3, R"({"content":"so it is"})").body, "/content"), "so it is");
  EXPECT_EQ(json_text(server.client().get("/api/v2/replies/1").body, "/content"), "so it is");
  EXPECT_EQ(code(send("PATCH", "replies/1", 2, R"({"content":"not mine"})")), "403 FORBIDDEN");
  const auto up = ok(vote(3, true, R"("type":"vouch","id":1)", "a-vote"));
  EXPECT_EQ(vote(3, true, R"("type":"vouch","id":1)", "a-vote").body, up.body) << "the same request withdraws nothing";
  EXPECT_EQ(vote(4, false).status, 200);
  EXPECT_EQ(tally(), "1/1/2");
  EXPECT_EQ(vote(3, true).body, up.body) << "nor does the same vote without a key, as proxies repeat it";
  EXPECT_EQ(tally(), "1/1/2");
  const auto withdraw = [&](int voter, const std::string& more = {}) {
    return send("DELETE", "votes?type=vouch&activityId=1" + more, voter);
  };
  EXPECT_TRUE(has(withdraw(3, "&dryRun=true").body, R"("isArchived":true)"));
  EXPECT_EQ(tally(), "1/1/2") << "that was only tried";
  const auto gone = withdraw(3);
  EXPECT_TRUE(has(gone.body, R"("isUpvote":true,"isArchived":true)"));
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
  std::vector<int> vouched(people);
  at_once(people, [&](int i) {
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
  for (const auto count : vouched)
    EXPECT_EQ(count, 1) << "one active vouch of a pair";
  EXPECT_EQ(tally(), "6/0/60") << "one vote of each, however often it was put";
  EXPECT_EQ(sql("SELECT count(*) || ' ' || max(number) FROM activity_votes"), "6 6");
  EXPECT_EQ(sql("SELECT count(*) || ' ' || max(id) FROM reviews"), "60 60");
  expect_sound();
}

/// Posts of the broker, as the whole service shows them.
struct BrokerPosts : testing::Test {
  BrokerPosts() {
    server.start();
    server.database().sql(
      "INSERT INTO broker_posts (id, author_profile, level, title, description, price, metadata, created_at, "
      "updated_at, source) SELECT i, 1 + i % 2, CASE WHEN i = 3 THEN 'PREMIUM' ELSE 'BASIC' END, 'Audit ' || i, "
      "repeat('é', 5000), '100 \"WHUF\"', '{}', to_timestamp(1700000000 + i), to_timestamp(1700000100 + i), 'chain' "
      "FROM generate_series(1, 5) i;"
      " INSERT INTO broker_fees (post_id, token, amount, recipient, source) VALUES (3, decode(repeat('AB', 20), "
      "'hex'), 2::numeric ^ 200, decode(repeat('cd', 20), 'hex'), 'chain')");
  }
  http_response get(const std::string& target) { return server.client().get("/api/v2/broker/posts" + target); }
  service server;
};

TEST_F(BrokerPosts, AreListedTheNewestFirst) {
  const auto all = get("").body;
  EXPECT_EQ(json_number(all, "/total"), 5) << all;
  EXPECT_TRUE(
    tells(all, "/values/0/id", 5, "/values/4/id", 1, "/values/0/title", "Audit 5", "/values/0/author/profileId", 2));
  EXPECT_EQ(json_text(all, "/values/0/description").size(), 2u * 4096) << "a list shows the beginning of long texts";
  const auto some = get("?authorProfileId=2&limit=1&offset=1").body;
  EXPECT_TRUE(tells(some, "/total", 3, "/values/0/id", 3));
  const auto premium = get("?level=PREMIUM").body;
  EXPECT_TRUE(tells(premium, "/total", 1, "/values/0/id", 3));
  EXPECT_EQ(get("?level=GOLD").status, 400);
  EXPECT_EQ(get("?authorProfileId=x").status, 400);
}

TEST_F(BrokerPosts, OneIsShownWholeWithItsFee) {
  const auto post = get("/3").body;
  EXPECT_EQ(json_number(post, "/id"), 3) << post;
  EXPECT_TRUE(tells(post, "/authorProfileId", 2, "/level", "PREMIUM"));
  EXPECT_EQ(json_text(post, "/description").size(), 10000u);
  EXPECT_TRUE(tells(post, "/price", "100 \"WHUF\"", "/cost", "100 \"WHUF\"", "/fee/amount",
                    "1606938044258990275541962092341162602522202993782792835301376", "/fee/token",
                    "0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB", "/createdAt", "2023-11-14T22:13:23.000Z",
                    "/updatedAt", "2023-11-14T22:15:03.000Z"));
  EXPECT_TRUE(has(get("/2").body, "\"fee\":null"));
  EXPECT_EQ(code(get("/77")), "404 NOT_FOUND");
  EXPECT_EQ(get("/x").status, 400);
}

} // namespace
} // namespace credence::test
