#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/service.hpp"
#include "tests/system/signing.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace credence::test {
namespace {

constexpr auto stranger = "address:0x00000000000000000000000000000000000000AA";

/// Reviews over the API, in the whole service. Profile 1 is an admin.
class ReviewsOverTheApi : public testing::Test {
protected:
  ReviewsOverTheApi() { server.start({"--admin", "1"}); }

  http_response send(const std::string& method, const std::string& target, int who, const std::string& body = "{}",
                     const std::string& key = {}) {
    return server.client().send(method, "/api/v2/reviews/" + target, with_json(by_bearer(server.token(who)), key),
                                body);
  }
  http_response review(int author, const std::string& subject, const std::string& score = "positive",
                       const std::string& key = {}) {
    return send("POST", "create", author,
                R"({"subject":")" + subject + R"(","score":")" + score + R"(","comment":"kept its word"})", key);
  }
  static std::string code(const http_response& of) {
    return std::to_string(of.status) + " " + json_text(of.body, "/code");
  }
  std::int64_t received(const std::string& userkey, const std::string& score) {
    const auto found = server.client().get("/api/v2/internal/users/" + userkey);
    return json_number(found.body, "/user/stats/review/received/" + score);
  }
  std::string rows() { return server.database().sql("SELECT count(*) FROM reviews"); }

  service server;
};

TEST_F(ReviewsOverTheApi, HaveTheShapeOfTheSpec) {
  const auto made = review(2, stranger, "negative");
  ASSERT_EQ(made.status, 200) << made.body;
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
  EXPECT_EQ(json_text(of_account.body, "/attestationDetails/account"), "some-one");
  EXPECT_EQ(json_text(of_account.body, "/subject"), "0x0000000000000000000000000000000000000000");
  EXPECT_EQ(received("service:github:some-one", "positive"), 1);
  const auto before = received("profileId:3", "positive");
  EXPECT_EQ(review(2, "profileId:3").status, 200);
  EXPECT_EQ(received("profileId:3", "positive"), before + 1);
  EXPECT_EQ(server.command({"verify"}).code, 0) << server.command({"verify"}).out;
}

TEST_F(ReviewsOverTheApi, AreEditedArchivedAndRestored) {
  ASSERT_EQ(review(2, stranger).status, 200);
  const auto edited = send("PATCH", "1", 2, R"({"comment":"kept it late"})");
  EXPECT_EQ(json_text(edited.body, "/comment"), "kept it late") << edited.body;
  EXPECT_EQ(json_number(edited.body, "/edits"), 1);
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
  EXPECT_EQ(
    server.database().sql("SELECT string_agg(act, ',' ORDER BY number) FROM audit_log WHERE act LIKE 'review%'"),
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
  server.database().sql("UPDATE profiles SET archived = true WHERE id = 4");
  EXPECT_EQ(code(review(4, stranger)), "403 PROFILE_NOT_LIVE");
  EXPECT_EQ(rows(), "1");
}

TEST_F(ReviewsOverTheApi, TriedOnlyLeaveNoTrace) {
  const auto tried =
    send("POST", "create?dryRun=true", 2, R"({"subject":"profileId:3","score":"positive","comment":"x"})", "a-key");
  EXPECT_EQ(json_number(tried.body, "/id"), 0) << tried.body;
  EXPECT_EQ(
    code(send("POST", "create?dryRun=true", 2, R"({"subject":"profileId:2","score":"positive","comment":"x"})")),
    "400 CANNOT_REVIEW_SELF");
  EXPECT_EQ(rows(), "0");
  EXPECT_EQ(send("POST", "create?dryRun=perhaps", 2, "{}").status, 400);
}

TEST_F(ReviewsOverTheApi, AreWrittenOnceHoweverOftenTheRequestComes) {
  const auto first = review(2, stranger, "positive", "of-a-review");
  ASSERT_EQ(first.status, 200) << first.body;
  server.kill_hard();
  server.start({"--admin", "1"});
  EXPECT_EQ(review(2, stranger, "positive", "of-a-review").body, first.body);
  EXPECT_EQ(review(2, stranger, "negative", "of-a-review").status, 422);
  EXPECT_EQ(rows(), "1");
  EXPECT_EQ(json_number(review(2, stranger).body, "/id"), 2);
}

TEST_F(ReviewsOverTheApi, OfManyAtOnceAreNumberedWithoutGaps) {
  constexpr int authors = 8, each = 12;
  std::vector<std::thread> all;
  std::vector<std::set<std::int64_t>> ids(authors);
  for (int i = 0; i < authors; ++i)
    all.emplace_back([&, i] {
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
  for (auto& one : all)
    one.join();
  std::set<std::int64_t> given;
  for (const auto& one : ids)
    given.insert(one.begin(), one.end());
  EXPECT_EQ(given.size(), static_cast<std::size_t>(authors * each)) << "each has a number of its own";
  EXPECT_EQ(*given.rbegin(), authors * each);
  EXPECT_EQ(server.database().sql("SELECT count(DISTINCT user_id) FROM subjects"), std::to_string(each))
    << "one user for each stranger";
  EXPECT_EQ(received("service:github:new-3", "positive"), authors);
  EXPECT_EQ(server.command({"verify"}).code, 0) << server.command({"verify"}).out;
}

} // namespace
} // namespace credence::test
