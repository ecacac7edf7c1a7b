#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::test {
namespace {

/// Bonds over the API, in the whole service. Profile 1 is an admin; 2 to 5 are verifiers, 6 is whom they stand for.
class BondsOverTheApi : public testing::Test {
protected:
  BondsOverTheApi() {
    server.database().sql(
      "UPDATE users SET human_verification = 'VERIFIED', validator_nft_count = 1, verifier_blocked = false"
      " WHERE id BETWEEN 2 AND 5");
    server.database().sql("UPDATE users SET human_verification = NULL WHERE id = 6");
    start();
  }
  void start() { server.start({"--admin", "1"}); }
  http_response post(const std::string& target, int who, const std::string& body, const std::string& key = {}) {
    return server.client().send("POST", "/api/v2/" + target, with_json(by_bearer(server.token(who)), key), body);
  }
  http_response get(const std::string& target) { return server.client().get("/api/v2/" + target); }
  static std::string code(const http_response& of) {
    return std::to_string(of.status) + " " + json_text(of.body, "/code");
  }
  static std::string order(int author, const std::string& more = {}, int subject = 6) {
    return R"({"authorProfileId":)" + std::to_string(author) + R"(,"subjectProfileId":)" + std::to_string(subject)
           + R"(,"bondType":"HUMAN","amount":"500","amountType":"XP","statement":"I met her","verificationMethod":"IRL")"
           + more + "}";
  }
  std::string bonded(int author, const std::string& more = {}) {
    const auto made = post("bonds/create", 1, order(author, more));
    EXPECT_EQ(made.status, 200) << made.body;
    return std::to_string(json_number(made.body, "/id"));
  }
  std::string status() { return json_text(get("human-verification/profileId:6").body, "/status"); }
  void expect_sound() {
    const auto found = server.command({"verify"});
    EXPECT_EQ(found.code, 0) << found.out << found.err;
  }

  service server;
};

TEST_F(BondsOverTheApi, ThreeVerifyAPersonAndFewerRevoke) {
  EXPECT_EQ(post("bonds/create?dryRun=true", 1, order(2)).status, 200);
  EXPECT_EQ(get("activities/bond/1").status, 404) << "it was only tried";
  const auto made = post("bonds/create", 1, order(2), "a-key");
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(post("bonds/create", 1, order(2), "a-key").body, made.body);
  EXPECT_EQ(json_number(made.body, "/metadata/subjectProfileId"), 6);
  EXPECT_EQ(status(), "PENDING");
  bonded(3);
  bonded(4);
  const auto shown = get("human-verification/profileId:6").body;
  EXPECT_EQ(json_text(shown, "/status"), "VERIFIED") << shown;
  EXPECT_EQ(json_number(shown, "/bonds/2/author/profileId"), 2) << shown;
  EXPECT_GT(json_number(shown, "/expiresAt"), json_number(shown, "/bonds/0/createdAt"));
  EXPECT_EQ(json_text(get("user/by/profile-id/6").body, "/humanVerificationStatus"), "VERIFIED")
    << "whoever hears the answer finds it so";
  const auto feed =
    server.client().post("/api/v2/activities/profile/received", R"({"userkey":"profileId:6","filter":["bond"]})").body;
  EXPECT_EQ(json_number(feed, "/total"), 3) << feed;
  EXPECT_EQ(json_text(get("activities/bond/1").body, "/data/statement"), "I met her");
  const auto ended = post("bonds/1/archive", 1, R"({"reason":"was another"})");
  EXPECT_EQ(json_text(ended.body, "/archiveReason"), "was another") << ended.body;
  EXPECT_EQ(status(), "REVOKED");
  EXPECT_EQ(code(post("bonds/1/expiration", 1, R"({"expiration":"2035-01-01"})")), "409 RECORD_ARCHIVED");
  EXPECT_EQ(server.database().sql("SELECT string_agg(act, ',' ORDER BY number) FROM audit_log WHERE act ~ 'bond'"),
            "bond_created,bond_created,bond_created,bond_archived");
  expect_sound();
  server.database().sql("UPDATE users SET human_verification = 'VERIFIED' WHERE id = 6");
  const auto unsound = server.command({"verify"});
  EXPECT_NE((unsound.out + unsound.err).find("user 6 has the status VERIFIED"), std::string::npos)
    << unsound.out << unsound.err;
}

TEST_F(BondsOverTheApi, AreMadeByAdminsForVerifiers) {
  EXPECT_EQ(code(post("bonds/create", 2, order(2))), "403 FORBIDDEN");
  EXPECT_EQ(code(post("bonds/create", 1, order(7))), "403 FORBIDDEN") << "profile 7 is no verifier";
  EXPECT_EQ(code(post("bonds/create", 1, order(2, "", 999))), "403 PROFILE_NOT_LIVE");
  for (const auto& bad : {std::string{"{}"}, order(2, "", 2), order(2, R"(,"expiration":"soon")"),
                          order(2, R"(,"expiration":"2020-01-01")"), order(2, R"(,"verificationMethod":"MAIL")")})
    EXPECT_EQ(code(post("bonds/create", 1, bad)), "400 BAD_REQUEST") << bad;
  EXPECT_EQ(code(post("bonds/9/archive", 1, R"({"reason":"x"})")), "404 NOT_FOUND");
  EXPECT_EQ(code(post("bonds/9/archive", 1, "{}")), "400 BAD_REQUEST");
}

TEST_F(BondsOverTheApi, OutliveTheServerAndEndWithTheirTime) {
  for (const int author : {2, 3, 4})
    bonded(author);
  server.kill_hard();
  start();
  EXPECT_EQ(status(), "VERIFIED");
  server.database().sql("ALTER TABLE bonds DISABLE TRIGGER check_changed_bond");
  server.database().sql("UPDATE bonds SET expires_at = now() - interval '1 hour' WHERE id = 1");
  server.kill_hard();
  start(); // it looks a second later
  await("the end of the verification", [&] { return status() == "REVOKED"; });
  EXPECT_EQ(status(), "REVOKED");
  EXPECT_EQ(json_text(get("user/by/profile-id/6").body, "/humanVerificationStatus"), "REVOKED");
  const auto later = post("bonds/1/expiration", 1, R"({"expiration":"2035-01-01T12:00:00Z"})");
  EXPECT_EQ(json_text(later.body, "/expiration"), "2035-01-01T12:00:00.000Z") << later.body;
  EXPECT_EQ(status(), "VERIFIED");
  expect_sound();
}

} // namespace
} // namespace credence::test
