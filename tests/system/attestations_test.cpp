#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/service.hpp"
#include "tests/system/signing.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace credence::test {
namespace {

/// Attestations and human verification over the API, in the whole service. Profile 1 is an admin, profile 5 an
/// attestor.
class AttestationsOverTheApi : public testing::Test {
protected:
  AttestationsOverTheApi() { start(); }

  void start() { server.start({"--admin", "1", "--people-attestors", "5", "--public-url", signing_origin}); }
  http_response post(const std::string& target, int who, const std::string& body, const std::string& key = {}) {
    return server.client().send("POST", "/api/v2/" + target, with_json(by_bearer(server.token(who)), key), body);
  }
  http_response get(const std::string& target) { return server.client().get("/api/v2/" + target); }
  static std::string code(const http_response& of) {
    return std::to_string(of.status) + " " + json_text(of.body, "/code");
  }
  static std::string order(int profile, const std::string& account, const std::string& service = "github",
                           const std::string& more = {}) {
    return R"({"profileId":)" + std::to_string(profile) + R"(,"service":")" + service + R"(","account":")" + account
           + R"(","evidence":"https://proof.example/1")" + more + "}";
  }
  http_response attest(int by, int profile, const std::string& account) {
    return post("attestations/create", by, order(profile, account));
  }
  http_response review(int by, const std::string& subject) {
    return post("reviews/create", by,
                R"({"subject":")" + subject + R"(","score":"positive","comment":"kept its word"})");
  }
  std::int64_t received(const std::string& userkey) {
    return json_number(get("internal/users/" + userkey).body, "/user/stats/review/received/positive");
  }
  void expect_sound() {
    const auto found = server.command({"verify"});
    EXPECT_EQ(found.code, 0) << found.out << found.err;
  }

  service server;
};

TEST_F(AttestationsOverTheApi, LookUpsFindAProfileByTheAccountAndItsName) {
  const auto body = order(2, "990011223344556677", "x.com", R"(,"username":"Some_One")");
  EXPECT_EQ(post("attestations/create?dryRun=true", 5, body).status, 200);
  EXPECT_EQ(get("user/by/x/some_one").status, 404) << "it was only tried";
  const auto made = post("attestations/create", 5, body, "a-key");
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(json_text(made.body, "/extra/username"), "Some_One");
  EXPECT_EQ(json_text(made.body, "/evidence"), "https://proof.example/1");
  EXPECT_EQ(post("attestations/create", 5, body, "a-key").body, made.body) << "the same request";
  EXPECT_EQ(json_number(get("user/by/x/990011223344556677").body, "/profileId"), 2);
  EXPECT_EQ(json_number(get("user/by/x/some_one").body, "/profileId"), 2);
  EXPECT_NE(get("user/by/profile-id/2").body.find("service:x.com:990011223344556677"), std::string::npos)
    << "it is one of the userkeys";
  EXPECT_EQ(get("attestations/" + std::to_string(json_number(made.body, "/id"))).body, made.body);
  EXPECT_EQ(get("attestations/999999").status, 404);
  EXPECT_EQ(server.database().sql(
              "SELECT caller_id || ' ' || subject || ' ' || after FROM audit_log WHERE act = 'account_attested'"),
            "5 account x.com:990011223344556677 profile 2; attestation "
              + std::to_string(json_number(made.body, "/id")));
  expect_sound();
}

TEST_F(AttestationsOverTheApi, OnlyAdminsAndAttestorsMakeThemAndNoKeyDoes) {
  EXPECT_EQ(code(attest(2, 2, "some-one")), "403 FORBIDDEN") << "not of oneself";
  EXPECT_EQ(attest(1, 2, "some-one").status, 200);
  struct key_order key {
    5
  }; // identity.hpp has a function of that name
  const auto token = json_text(server.client().post("/api/v2/api-keys", key.body()).body, "/token");
  auto client = server.client();
  EXPECT_EQ(code(with_key(client, "POST", "/api/v2/attestations/create", token, order(5, "some-one"))),
            "403 FORBIDDEN");
  EXPECT_EQ(code(attest(5, 999, "another")), "403 PROFILE_NOT_LIVE");
  for (const auto& bad : {std::string{"{}"}, order(2, "not digits", "x.com"), order(2, "1", "myspace"), order(0, "a"),
                          order(2, "1", "x.com", R"(,"username":"a b")"), order(2, "1", "discord", R"(,"username":"")"),
                          std::string{R"({"profileId":2,"service":"github","account":"a","evidence":""})"}})
    EXPECT_EQ(code(post("attestations/create", 5, bad)), "400 BAD_REQUEST") << bad;
}

TEST_F(AttestationsOverTheApi, AClaimTakesAlongWhatTheAccountReceived) {
  const std::string subject = "service:github:some-one";
  const auto before2 = received("profileId:2"), before3 = received("profileId:3");
  ASSERT_EQ(review(4, subject).status, 200);
  ASSERT_EQ(attest(5, 2, "some-one").status, 200);
  EXPECT_EQ(received("profileId:2"), before2 + 1);
  EXPECT_EQ(code(review(2, subject)), "400 CANNOT_REVIEW_SELF");
  EXPECT_EQ(code(attest(5, 4, "some-one")), "409 OWN_RECORDS") << "profile 4 wrote the review";
  const auto claimed = attest(5, 3, "some-one");
  ASSERT_EQ(claimed.status, 200) << claimed.body;
  EXPECT_EQ(received("profileId:2"), before2);
  EXPECT_EQ(received("profileId:3"), before3 + 1);
  EXPECT_EQ(json_number(get("internal/users/" + subject).body, "/profile/id"), 3);
  const auto slash = post("slashes", 1,
                          R"({"authorProfileId":2,"subject":")" + subject
                            + R"(","slashType":"SCORE","comment":"because","amount":100})");
  ASSERT_EQ(slash.status, 200) << slash.body;
  EXPECT_EQ(code(attest(5, 2, "some-one")), "409 SLASH_OPEN");
  ASSERT_EQ(post("slashes/" + std::to_string(json_number(slash.body, "/id")) + "/cancel", 1, "{}").status, 200);
  EXPECT_EQ(attest(5, 2, "some-one").status, 200);
  EXPECT_EQ(received("profileId:2"), before2 + 1);
  expect_sound();
}

TEST_F(AttestationsOverTheApi, AnArchivedOneLeadsToNobodyAndShedsNothing) {
  const auto made = attest(5, 2, "some-one");
  const auto id = "attestations/" + std::to_string(json_number(made.body, "/id"));
  const std::string subject = "service:github:some-one";
  const auto before = received("profileId:2");
  EXPECT_EQ(code(post(id + "/archive", 3, "{}")), "403 FORBIDDEN");
  EXPECT_EQ(post(id + "/archive?dryRun=true", 2, "{}").status, 200);
  EXPECT_NE(get("internal/users/" + subject).body, "null");
  const auto archived = post(id + "/archive", 2, "{}");
  EXPECT_NE(archived.body.find(R"("archived":true)"), std::string::npos) << archived.body;
  EXPECT_EQ(get("internal/users/" + subject).body, "null") << "nobody is found by it";
  EXPECT_EQ(review(4, subject).status, 200);
  EXPECT_EQ(received("profileId:2"), before + 1) << "what it receives still is the profile's";
  EXPECT_EQ(code(post(id + "/restore", 2, "{}")), "403 FORBIDDEN") << "not by its profile";
  EXPECT_EQ(post(id + "/restore", 5, "{}").status, 200);
  EXPECT_EQ(json_number(get("internal/users/" + subject).body, "/profile/id"), 2);
  EXPECT_EQ(
    server.database().sql("SELECT string_agg(act, ',' ORDER BY number) FROM audit_log WHERE act LIKE 'attestation%'"),
    "attestation_archived,attestation_restored");
  expect_sound();
}

TEST_F(AttestationsOverTheApi, AnAccountThatTwoClaimAtOnceIsOfOne) {
  ASSERT_EQ(review(4, "service:github:wanted").status, 200);
  const auto before = received("profileId:2") + received("profileId:3");
  std::vector<std::thread> all;
  std::vector<http_response> answers(8);
  for (int i = 0; i < 8; ++i)
    all.emplace_back([&, i] {
      auto client = server.client();
      answers[static_cast<std::size_t>(i)] = post_until_decided(
        client, "/api/v2/attestations/create", order(2 + i % 2, "wanted"), by_bearer(server.token(i < 4 ? 5 : 1)));
    });
  for (auto& each : all)
    each.join();
  for (const auto& each : answers)
    EXPECT_EQ(each.status, 200) << each.body;
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM attestations WHERE account = 'wanted'"), "1");
  const auto owner = json_number(get("internal/users/service:github:wanted").body, "/profile/id");
  EXPECT_EQ(server.database().sql("SELECT profile_id FROM attestations WHERE account = 'wanted'"),
            std::to_string(owner));
  EXPECT_EQ(received("profileId:2") + received("profileId:3"), before + 1) << "the review is of the one owner";
  EXPECT_EQ(
    server.database().sql("SELECT p.id FROM subjects s JOIN profiles p USING (user_id) WHERE s.account = 'wanted'"),
    std::to_string(owner));
  expect_sound();
  server.database().sql("UPDATE subjects SET user_id = 9 WHERE account = 'wanted'");
  EXPECT_NE(server.command({"verify"}).code, 0) << "what it received went elsewhere";
}

TEST_F(AttestationsOverTheApi, AnAdminVerifiesPeopleAndWithdrawsIt) {
  server.database().sql("UPDATE users SET human_verification = NULL WHERE id = 2");
  EXPECT_NE(get("human-verification/profileId:2").body.find(R"({"status":null,)"), std::string::npos);
  const std::string body = R"({"profileId":2,"verificationMethod":"VIDEO","comment":"met by video"})";
  EXPECT_EQ(code(post("human-verification/verify", 5, body)), "403 FORBIDDEN") << "an attestor is no admin";
  EXPECT_EQ(post("human-verification/verify?dryRun=true", 1, body).body, R"({"ok":true})");
  EXPECT_EQ(code(post("human-verification/revoke", 1, body)), "409 NOT_VERIFIED") << "it was only tried";
  const auto set = post("human-verification/verify", 1, body, "a-key");
  ASSERT_EQ(set.status, 200) << set.body;
  EXPECT_EQ(json_text(set.body, "/status"), "VERIFIED");
  EXPECT_EQ(json_text(set.body, "/verificationMethod"), "VIDEO");
  EXPECT_EQ(json_number(set.body, "/subject/profileId"), 2);
  EXPECT_EQ(json_text(get("user/by/profile-id/2").body, "/humanVerificationStatus"), "VERIFIED");
  EXPECT_EQ(get("human-verification/profileId:2").body, set.body);
  EXPECT_EQ(post("human-verification/verify", 1, body, "a-key").body, set.body);
  const auto withdrawn = post("human-verification/revoke", 1, R"({"profileId":2,"comment":"was another"})");
  EXPECT_EQ(json_text(withdrawn.body, "/status"), "REVOKED") << withdrawn.body;
  EXPECT_EQ(json_text(withdrawn.body, "/comment"), "was another");
  EXPECT_EQ(code(post("human-verification/verify", 1, R"({"profileId":2,"verificationMethod":"MAIL"})")),
            "400 BAD_REQUEST");
  EXPECT_EQ(code(post("human-verification/revoke", 1, R"({"profileId":999,"comment":"x"})")), "404 NOT_FOUND");
  EXPECT_EQ(get("human-verification/profileId:999").status, 404);
  EXPECT_EQ(server.database().sql("SELECT string_agg(act, ',' ORDER BY number) FROM audit_log WHERE act ~ 'verif'"),
            "human_verified,verification_withdrawn");
  expect_sound();
  server.database().sql("UPDATE users SET human_verification = 'VERIFIED' WHERE id = 2");
  const auto unsound = server.command({"verify"});
  EXPECT_NE(unsound.code, 0);
  EXPECT_NE((unsound.out + unsound.err).find("user 2 is verified by the record: f"), std::string::npos)
    << unsound.out << unsound.err;
}

TEST_F(AttestationsOverTheApi, OutlivesTheServer) {
  const auto made = post("attestations/create", 5, order(2, "some-one"), "of-an-attestation");
  ASSERT_EQ(made.status, 200) << made.body;
  server.kill_hard();
  start();
  EXPECT_EQ(post("attestations/create", 5, order(2, "some-one"), "of-an-attestation").body, made.body);
  EXPECT_EQ(get("attestations/" + std::to_string(json_number(made.body, "/id"))).body, made.body);
  EXPECT_EQ(json_number(get("internal/users/service:github:some-one").body, "/profile/id"), 2);
  expect_sound();
}

} // namespace
} // namespace credence::test
