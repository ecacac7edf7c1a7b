#include "tests/auth/siwe_text.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/api_tests.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

#include <regex>
#include <string>

namespace credence::test {
namespace {

/// Attestations and human verification over the API, in the whole service. Profile 1 is an admin, profile 5 an
/// attestor.
struct AttestationsOverTheApi : api_tests {
  AttestationsOverTheApi() { start(); }

  void start() { server.start({"--admin", "1", "--people-attestors", "5", "--public-url", signing_origin}); }
  static std::string order(int profile, const std::string& account, const std::string& service = "github",
                           const std::string& more = {}) {
    return R"({"profileId":)" + std::to_string(profile) + R"(,"service":")" + service + R"(","account":")" + account
           + R"(","evidence":"https://proof.example/1")" + more + "}";
  }
  http_response attest(int by, int profile, const std::string& account) {
    return post("attestations/create", by, order(profile, account));
  }
};

TEST_F(AttestationsOverTheApi, LookUpsFindAProfileByTheAccountAndItsName) {
  const auto body = order(2, "990011223344556677", "x.com", R"(,"username":"Some_One")");
  const auto made = ok(post("attestations/create", 5, body, "a-key"));
  EXPECT_TRUE(tells(made.body, "/extra/username", "Some_One", "/evidence", "https://proof.example/1"));
  EXPECT_EQ(post("attestations/create", 5, body, "a-key").body, made.body) << "the same request";
  EXPECT_EQ(json_number(get("user/by/x/990011223344556677").body, "/profileId"), 2);
  EXPECT_EQ(json_number(get("user/by/x/some_one").body, "/profileId"), 2);
  EXPECT_TRUE(has(get("user/by/profile-id/2").body, "service:x.com:990011223344556677")) << "it is one of the userkeys";
  EXPECT_EQ(get("attestations/" + std::to_string(json_number(made.body, "/id"))).body, made.body);
  EXPECT_EQ(get("attestations/999999").status, 404);
  EXPECT_EQ(sql("SELECT caller_id || ' ' || subject || ' ' || after FROM audit_log WHERE act = 'account_attested'"),
            "5 account x.com:990011223344556677 profile 2; attestation "
              + std::to_string(json_number(made.body, "/id")));
  expect_sound();
}

TEST_F(AttestationsOverTheApi, OnlyAdminsAndAttestorsMakeThemAndNoKeyDoes) {
  EXPECT_EQ(code(attest(2, 2, "some-one")), "403 FORBIDDEN") << "not of oneself";
  EXPECT_EQ(attest(1, 2, "some-one").status, 200);
  key_order key{5}; // identity.hpp has a function of that name
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
  ok(attest(5, 3, "some-one"));
  EXPECT_EQ(received("profileId:2"), before2);
  EXPECT_EQ(received("profileId:3"), before3 + 1);
  EXPECT_EQ(json_number(get("internal/users/" + subject).body, "/profile/id"), 3);
  const auto slash = ok(post("slashes", 1,
                             R"({"authorProfileId":2,"subject":")" + subject
                               + R"(","slashType":"SCORE","comment":"because","amount":100})"));
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
  EXPECT_NE(get("internal/users/" + subject).body, "null");
  EXPECT_TRUE(has(post(id + "/archive", 2, "{}").body, R"("archived":true)"));
  EXPECT_EQ(get("internal/users/" + subject).body, "null") << "nobody is found by it";
  EXPECT_EQ(review(4, subject).status, 200);
  EXPECT_EQ(received("profileId:2"), before + 1) << "what it receives still is the profile's";
  EXPECT_EQ(code(post(id + "/restore", 2, "{}")), "403 FORBIDDEN") << "not by its profile";
  EXPECT_EQ(post(id + "/restore", 5, "{}").status, 200);
  EXPECT_EQ(json_number(get("internal/users/" + subject).body, "/profile/id"), 2);
  EXPECT_EQ(sql("SELECT string_agg(act, ',' ORDER BY number) FROM audit_log WHERE act LIKE 'attestation%'"),
            "attestation_archived,attestation_restored");
  expect_sound();
}

TEST_F(AttestationsOverTheApi, AnAccountThatTwoClaimAtOnceIsOfOne) {
  ASSERT_EQ(review(4, "service:github:wanted").status, 200);
  const auto before = received("profileId:2") + received("profileId:3");
  std::vector<http_response> answers(8);
  at_once(8, [&](int i) {
    auto client = server.client();
    answers[static_cast<std::size_t>(i)] = post_until_decided(
      client, "/api/v2/attestations/create", order(2 + i % 2, "wanted"), by_bearer(server.token(i < 4 ? 5 : 1)));
  });
  for (const auto& each : answers)
    EXPECT_EQ(each.status, 200) << each.body;
  EXPECT_EQ(sql("SELECT count(*) FROM attestations WHERE account = 'wanted'"), "1");
  const auto owner = json_number(get("internal/users/service:github:wanted").body, "/profile/id");
  EXPECT_EQ(sql("SELECT profile_id FROM attestations WHERE account = 'wanted'"), std::to_string(owner));
  EXPECT_EQ(received("profileId:2") + received("profileId:3"), before + 1) << "the review is of the one owner";
  EXPECT_EQ(sql("SELECT p.id FROM subjects s JOIN profiles p USING (user_id) WHERE s.account = 'wanted'"),
            std::to_string(owner));
  expect_sound();
  sql("UPDATE subjects SET user_id = 9 WHERE account = 'wanted'");
  EXPECT_NE(server.command({"verify"}).code, 0) << "what it received went elsewhere";
}

TEST_F(AttestationsOverTheApi, AnAdminVerifiesPeopleAndWithdrawsIt) {
  sql("UPDATE users SET human_verification = NULL WHERE id = 2");
  EXPECT_TRUE(has(get("human-verification/profileId:2").body, R"({"status":null,)"));
  const std::string body = R"({"profileId":2,"verificationMethod":"VIDEO","comment":"met by video"})";
  EXPECT_EQ(code(post("human-verification/verify", 5, body)), "403 FORBIDDEN") << "an attestor is no admin";
  EXPECT_EQ(post("human-verification/verify?dryRun=true", 1, body).body, R"({"ok":true})");
  EXPECT_EQ(code(post("human-verification/revoke", 1, body)), "409 NOT_VERIFIED") << "it was only tried";
  const auto set = ok(post("human-verification/verify", 1, body, "a-key"));
  EXPECT_TRUE(tells(set.body, "/status", "VERIFIED", "/verificationMethod", "VIDEO", "/subject/profileId", 2));
  EXPECT_EQ(json_text(get("user/by/profile-id/2").body, "/humanVerificationStatus"), "VERIFIED");
  EXPECT_EQ(get("human-verification/profileId:2").body, set.body);
  EXPECT_EQ(get("human-verification/2").body, set.body) << "as public clients ask";
  EXPECT_EQ(code(get("human-verification/0")), "400 BAD_REQUEST");
  EXPECT_EQ(post("human-verification/verify", 1, body, "a-key").body, set.body);
  const auto withdrawn = post("human-verification/revoke", 1, R"({"profileId":2,"comment":"was another"})");
  EXPECT_TRUE(tells(withdrawn.body, "/status", "REVOKED", "/comment", "was another"));
  EXPECT_EQ(code(post("human-verification/verify", 1, R"({"profileId":2,"verificationMethod":"MAIL"})")),
            "400 BAD_REQUEST");
  EXPECT_EQ(code(post("human-verification/revoke", 1, R"({"profileId":999,"comment":"x"})")), "404 NOT_FOUND");
  EXPECT_EQ(get("human-verification/profileId:999").status, 404);
  EXPECT_EQ(sql("SELECT string_agg(act, ',' ORDER BY number) FROM audit_log WHERE act ~ 'verif'"),
            "human_verified,verification_withdrawn");
  expect_sound();
  sql("UPDATE users SET human_verification = 'VERIFIED' WHERE id = 2");
  const auto unsound = server.command({"verify"});
  EXPECT_NE(unsound.code, 0);
  EXPECT_TRUE(has((unsound.out + unsound.err), "user 2 is verified by the record: f")) << unsound.out << unsound.err;
}

TEST_F(AttestationsOverTheApi, OutlivesTheServer) {
  const auto made = ok(post("attestations/create", 5, order(2, "some-one"), "of-an-attestation"));
  server.kill_hard();
  start();
  EXPECT_EQ(post("attestations/create", 5, order(2, "some-one"), "of-an-attestation").body, made.body);
  EXPECT_EQ(get("attestations/" + std::to_string(json_number(made.body, "/id"))).body, made.body);
  EXPECT_EQ(json_number(get("internal/users/service:github:some-one").body, "/profile/id"), 2);
  expect_sound();
}

/// Bonds over the API, in the whole service. Profile 1 is an admin; 2 to 5 are verifiers, 6 is whom they stand for.
struct BondsOverTheApi : api_tests {
  BondsOverTheApi() {
    sql("UPDATE users SET human_verification = 'VERIFIED', validator_nft_count = 1, verifier_blocked = false"
        " WHERE id BETWEEN 2 AND 5");
    sql("UPDATE users SET human_verification = NULL WHERE id = 6");
    start();
  }
  void start() { server.start({"--admin", "1"}); }
  static std::string order(int author, const std::string& more = {}, int subject = 6) {
    return R"({"authorProfileId":)" + std::to_string(author) + R"(,"subjectProfileId":)" + std::to_string(subject)
           + R"(,"bondType":"HUMAN","amount":"500","amountType":"XP","statement":"I met her","verificationMethod":"IRL")"
           + more + "}";
  }
  std::string bonded(int author, const std::string& more = {}) {
    const auto made = ok(post("bonds/create", 1, order(author, more)));
    return std::to_string(json_number(made.body, "/id"));
  }
  std::string status() { return json_text(get("human-verification/profileId:6").body, "/status"); }
};

TEST_F(BondsOverTheApi, ThreeVerifyAPersonAndFewerRevoke) {
  const auto made = ok(post("bonds/create", 1, order(2), "a-key"));
  EXPECT_EQ(post("bonds/create", 1, order(2), "a-key").body, made.body);
  EXPECT_EQ(json_number(made.body, "/metadata/subjectProfileId"), 6);
  EXPECT_EQ(status(), "PENDING");
  bonded(3);
  bonded(4);
  const auto shown = get("human-verification/profileId:6").body;
  EXPECT_TRUE(tells(shown, "/status", "VERIFIED", "/bonds/2/author/profileId", 2));
  EXPECT_EQ(json_text(shown, "/bonds/0/createdAt").size(), std::string{"2026-03-01T12:00:00.000Z"}.size()) << shown;
  EXPECT_GT(json_text(shown, "/expiresAt"), json_text(shown, "/bonds/0/createdAt"));
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
  EXPECT_EQ(sql("SELECT string_agg(act, ',' ORDER BY number) FROM audit_log WHERE act ~ 'bond'"),
            "bond_created,bond_created,bond_created,bond_archived");
  expect_sound();
  sql("UPDATE users SET human_verification = 'VERIFIED' WHERE id = 6");
  const auto unsound = server.command({"verify"});
  EXPECT_TRUE(has((unsound.out + unsound.err), "user 6 has the status VERIFIED")) << unsound.out << unsound.err;
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
  sql("ALTER TABLE bonds DISABLE TRIGGER check_changed_bond");
  sql("UPDATE bonds SET expires_at = now() - interval '1 hour' WHERE id = 1");
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

/// Profiles, addresses and invitations over the API, in the whole service. Profile 1 is an admin.
struct JoiningOverTheApi : api_tests {
  JoiningOverTheApi() { start(); }

  void start(std::vector<std::string> more = {}) {
    std::vector<std::string> flags{"--admin", "1", "--public-url", signing_origin};
    flags.insert(flags.end(), more.begin(), more.end());
    server.start(flags);
  }
  http_response post(const std::string& target, int who, const std::string& body, const std::string& key = {},
                     const std::string& method = "POST") {
    return server.client().send(method, "/api/v2/" + target,
                                with_json(who ? by_bearer(server.token(who)) : http_headers{}, key), body);
  }
  static std::string text_of(const auth::wallet& of) { return lower_text(of.account()); }

  /// A body with a message that `by` signs to make a profile.
  std::string joining(const auth::wallet& by, const std::string& more = {},
                      const std::string& statement = "Create a profile.") {
    auto says = key_message(by);
    says.statement = statement;
    says.nonce = json_text(server.client().get("/api/v2/auth/nonce").body, "/nonce");
    auto body = login_body(says, by);
    body.insert(body.size() - 1, more);
    return body;
  }
  /// The same to link `by` to a profile.
  static std::string linking(const auth::wallet& by, int profile) {
    auto says = key_message(by);
    says.statement = "Link this address to profile " + std::to_string(profile) + ".";
    return login_body(says, by);
  }
  std::string invite(int sender, const auth::wallet& whom) {
    const auto sent = ok(post("invitations", sender, R"({"address":")" + text_of(whom) + R"("})"));
    return sent.body;
  }

  const auth::wallet newcomer{"somebody new"};
  const auth::wallet another{"somebody else"};
};

TEST_F(JoiningOverTheApi, AnInvitationLetsWhoeverSignsMakeAProfile) {
  EXPECT_EQ(code(post("profiles/create", 0, joining(newcomer))), "403 NOT_INVITED");
  const auto sent = invite(2, newcomer);
  EXPECT_EQ(json_text(sent, "/status"), "INVITED");
  const auto made = ok(post("profiles/create", 0, joining(newcomer)));
  EXPECT_TRUE(tells(made.body, "/profile/id", 61, "/profile/invitedBy", 2, "/profile/invitesAvailable", 5,
                    "/user/status", "ACTIVE"));
  const auto but_for_scores = [](const std::string& body) { // which are worked out behind the answer
    return std::regex_replace(body, std::regex{R"("score":\d+)"}, "");
  };
  EXPECT_EQ(but_for_scores(made.body), but_for_scores(server.client().get("/api/v2/internal/users/profileId:61").body));
  const auto in = ok(server.client().post("/api/v2/auth/login", joining(newcomer, {}, "Sign in.")));
  const auto token = by_bearer(json_text(in.body, "/accessToken"));
  const auto review =
    ok(server.client().send("POST", "/api/v2/reviews/create", with_json(token),
                            R"({"subject":"profileId:2","score":"positive","comment":"asked me in"})"));
  const auto vote =
    server.client().send("POST", "/api/v2/projects/1/votes", with_json(token), R"({"voteType":"BULLISH"})");
  EXPECT_EQ(vote.status, 200) << "it votes at once: " << vote.body;
  EXPECT_EQ(code(post("profiles/create", 1, R"({"address":")" + text_of(newcomer) + R"("})")), "409 ADDRESS_TAKEN");
  expect_sound();
}

TEST_F(JoiningOverTheApi, AnAdminMakesProfilesAndOpenRegistrationLetsEverybody) {
  const auto order = R"({"address":")" + text_of(newcomer) + R"(","inviter":3})";
  EXPECT_EQ(code(post("profiles/create", 2, order)), "400 BAD_REQUEST") << "no admin, and nothing signed";
  EXPECT_EQ(post("profiles/create", 0, order).status, 400);
  EXPECT_EQ(post("profiles/create?dryRun=true", 1, order).body, R"({"ok":true})");
  const auto made = ok(post("profiles/create", 1, order, "a-key"));
  EXPECT_EQ(json_number(made.body, "/profile/invitedBy"), 3);
  EXPECT_EQ(post("profiles/create", 1, order, "a-key").body, made.body) << "the same request";
  EXPECT_EQ(sql("SELECT count(*) FROM profiles WHERE id > 60"), "1");
  server.terminate();
  start({"--people-open-registration", "true"});
  auto signed_by_another = joining(another);
  EXPECT_EQ(post("profiles/create", 0, signed_by_another).status, 200);
  EXPECT_NE(post("profiles/create", 0, signed_by_another).status, 200) << "a message counts once";
  EXPECT_EQ(code(post("profiles/create", 0, joining(newcomer, {}, "Sign in."))), "400 INVALID_MESSAGE")
    << "that was signed for something else";
  auto forged = key_message(newcomer);
  forged.statement = "Create a profile.";
  forged.nonce = json_text(server.client().get("/api/v2/auth/nonce").body, "/nonce");
  EXPECT_EQ(code(post("profiles/create", 0, login_body(forged, another))), "400 INVALID_SIGNATURE");
  expect_sound();
}

TEST_F(JoiningOverTheApi, AnAddressIsLinkedByItsOwnSignatureOnly) {
  const auto first = linking(newcomer, 2);
  EXPECT_TRUE(has(ok(post("addresses/link", 2, first)).body, auth::checksummed_text(newcomer.account())));
  EXPECT_EQ(code(post("addresses/link", 3, linking(another, 2))), "400 INVALID_MESSAGE")
    << "it was signed for another profile";
  EXPECT_EQ(code(post("addresses/link", 3, linking(newcomer, 3))), "409 ADDRESS_TAKEN");
  auto forged = key_message(another);
  forged.statement = "Link this address to profile 3.";
  EXPECT_EQ(code(post("addresses/link", 3, login_body(forged, newcomer))), "400 INVALID_SIGNATURE");
  const auto address = R"({"address":")" + text_of(newcomer) + R"("})";
  EXPECT_EQ(code(post("addresses/unlink", 3, address)), "404 NOT_FOUND");
  EXPECT_FALSE(has(ok(post("addresses/unlink", 2, address)).body, auth::checksummed_text(newcomer.account())));
  EXPECT_EQ(code(post("addresses/link", 2, first)), "400 NONCE_REUSED");
  EXPECT_EQ(post("addresses/link", 3, linking(newcomer, 3)).status, 200) << "another profile may have it now";
  expect_sound();
}

TEST_F(JoiningOverTheApi, WhatAnAddressReceivedComesAlongAndStays) {
  const auto subject = "address:" + text_of(newcomer);
  const auto review = [&] {
    return post("reviews/create", 4, R"({"subject":")" + subject + R"(","score":"positive","comment":"kept its word"})")
      .status;
  };
  const auto received = [&](const std::string& userkey) {
    return json_number(server.client().get("/api/v2/internal/users/" + userkey).body,
                       "/user/stats/review/received/positive");
  };
  const auto before = received("profileId:2");
  ASSERT_EQ(review(), 200);
  EXPECT_EQ(received(subject), 1);
  ASSERT_EQ(post("addresses/link", 2, linking(newcomer, 2)).status, 200);
  EXPECT_EQ(received("profileId:2"), before + 1);
  ASSERT_EQ(review(), 200);
  EXPECT_EQ(received("profileId:2"), before + 2);
  ASSERT_EQ(post("addresses/unlink", 2, R"({"address":")" + text_of(newcomer) + R"("})").status, 200);
  EXPECT_EQ(received("profileId:2"), before + 2) << "bad ones are not shed so";
  ASSERT_EQ(review(), 200);
  EXPECT_EQ(received("profileId:2"), before + 2);
  EXPECT_EQ(received(subject), 1) << "the address begins anew";
  expect_sound();
}

TEST_F(JoiningOverTheApi, WhoeverHasAnApiKeyDoesNotTakeTheProfileOver) {
  auto client = server.client();
  key_order first{demo_wallet(2)};
  const auto key = json_text(client.post("/api/v2/api-keys", first.body()).body, "/token");
  const auto sent = [&](const std::string& target, const std::string& body) {
    return code(client.send("POST", "/api/v2/" + target, with_json(by_key(key)), body));
  };
  EXPECT_EQ(sent("addresses/link", linking(newcomer, 2)), "403 FORBIDDEN");
  EXPECT_EQ(sent("addresses/unlink", R"({"address":")" + text_of(demo_wallet(2)) + R"("})"), "403 FORBIDDEN");
  EXPECT_EQ(sent("profiles/2/archive", "{}"), "403 FORBIDDEN");
  EXPECT_EQ(sent("profiles/2/restore", "{}"), "403 FORBIDDEN");
  auto order = linking(newcomer, 2);
  order.insert(order.size() - 1,
               R"(,"name":"a bot","address":")" + auth::checksummed_text(newcomer.account()) + R"(")");
  EXPECT_EQ(code(client.post("/api/v2/api-keys", order)), "400 INVALID_MESSAGE")
    << "whoever was made to link has agreed to no key";
}

TEST_F(JoiningOverTheApi, NobodyMakesTheirOwnWhatTheyHaveReviewed) {
  const auto review =
    ok(post("reviews/create", 2,
            R"({"subject":"address:)" + text_of(newcomer) + R"(","score":"positive","comment":"me, myself"})"));
  EXPECT_EQ(code(post("addresses/link", 2, linking(newcomer, 2))), "409 OWN_RECORDS");
  ASSERT_EQ(post("reviews/" + std::to_string(json_number(review.body, "/id")) + "/archive", 2, "{}").status, 200);
  EXPECT_EQ(post("addresses/link", 2, linking(newcomer, 2)).status, 200);
  expect_sound();
}

TEST_F(JoiningOverTheApi, OneAddressLinkedByManyAtOnceIsOfOne) {
  for (int round = 0; round < 3; ++round) {
    const auth::wallet wanted{"wanted " + std::to_string(round)};
    std::vector<http_response> answers(6);
    at_once(6, [&](int i) {
      const int who = 2 + i % 3;
      auto client = server.client();
      answers[static_cast<std::size_t>(i)] =
        post_until_decided(client, "/api/v2/addresses/link", linking(wanted, who), by_bearer(server.token(who)));
    });
    const auto owner = sql("SELECT p.id FROM addresses a JOIN profiles p USING (user_id) WHERE a.address = decode('"
                           + text_of(wanted).substr(2) + "', 'hex')");
    for (int i = 0; i < 6; ++i) {
      const auto& answer = answers[static_cast<std::size_t>(i)];
      if (std::to_string(2 + i % 3) == owner)
        EXPECT_EQ(answer.status, 200) << answer.body;
      else
        EXPECT_EQ(code(answer), "409 ADDRESS_TAKEN") << answer.body;
    }
  }
  expect_sound();
}

TEST_F(JoiningOverTheApi, NamesAreChangedAndOnesOwn) {
  const auto edit = [&](int who, const std::string& body) { return post("profiles/me", who, body, {}, "PATCH"); };
  const auto edited = ok(edit(
    2, R"({"displayName":"A Name","username":"A_Name","avatarUrl":"https://a.example/b.png","description":"words"})"));
  EXPECT_TRUE(tells(edited.body, "/user/displayName", "A Name", "/user/username", "A_Name"));
  EXPECT_EQ(json_number(server.client().get("/api/v2/user/by/username/a_name").body, "/profileId"), 2)
    << "and found by it";
  EXPECT_EQ(code(edit(3, R"({"username":"a_NAME"})")), "409 USERNAME_TAKEN");
  for (const auto* bad : {"{}", R"({"username":"a b"})", R"({"displayName":""})", R"({"displayName":"   "})",
                          R"({"displayName":"A\u202eN"})", R"({"username":"12"})", R"({"username":"0xAb"})",
                          R"({"avatarUrl":"http://a.example/b.png"})", R"({"avatarUrl":"https://a.example/b.png'x"})",
                          R"({"description":7})"})
    EXPECT_EQ(edit(3, bad).status, 400) << bad;
  EXPECT_EQ(edit(2, R"({"description":""})").status, 200);
  EXPECT_EQ(sql("SELECT count(*) FROM users WHERE username = 'A_Name' AND description IS NULL"), "1");
}

TEST_F(JoiningOverTheApi, AnArchivedProfileWritesNothingUntilItIsRestored) {
  EXPECT_EQ(code(post("profiles/3/archive", 2, "{}")), "403 FORBIDDEN");
  EXPECT_TRUE(tells(ok(post("profiles/3/archive", 1, "{}")).body, "/user/status", "INACTIVE"));
  const auto vote = [&] { return post("projects/1/votes", 3, R"({"voteType":"BULLISH"})"); };
  EXPECT_EQ(code(vote()), "403 PROFILE_NOT_LIVE") << "everybody knows by the time that it is answered";
  EXPECT_EQ(code(post("invitations", 3, R"({"address":")" + text_of(newcomer) + R"("})")), "403 PROFILE_NOT_LIVE");
  EXPECT_EQ(code(post("profiles/999/archive", 1, "{}")), "404 NOT_FOUND");
  EXPECT_EQ(code(post("profiles/3/restore", 3, "{}")), "403 FORBIDDEN") << "an admin may have archived it";
  EXPECT_TRUE(tells(post("profiles/3/restore", 1, "{}").body, "/user/status", "ACTIVE"));
  const auto after = vote();
  EXPECT_NE(after.status, 403) << after.body;
  expect_sound();
}

TEST_F(JoiningOverTheApi, InvitationsRunOutAndComeBack) {
  sql("UPDATE profiles SET invites_available = 1 WHERE id = 2");
  const auto sent = invite(2, newcomer);
  const auto order = R"({"address":")" + text_of(another) + R"("})";
  EXPECT_EQ(code(post("invitations", 2, order)), "400 NO_INVITES_LEFT");
  EXPECT_EQ(code(post("invitations", 2, R"({"address":")" + text_of(newcomer) + R"("})")), "409 ALREADY_INVITED");
  const auto id = R"({"id":)" + std::to_string(json_number(sent, "/id")) + "}";
  EXPECT_EQ(code(post("invitations/cancel", 3, id)), "403 FORBIDDEN");
  EXPECT_EQ(json_text(post("invitations/cancel", 2, id).body, "/status"), "WITHDRAWN");
  EXPECT_EQ(post("invitations", 2, order).status, 200);
  EXPECT_EQ(code(post("profiles/create", 0, joining(newcomer))), "403 NOT_INVITED") << "it was taken back";
  EXPECT_EQ(post("invitations", 2, R"({"address":"0x12"})").status, 400);
  EXPECT_EQ(post("invitations/cancel", 2, "{}").status, 400);
  EXPECT_EQ(sql("SELECT string_agg(act, ',' ORDER BY number) FROM audit_log WHERE act LIKE 'invitation%'"),
            "invitation_sent,invitation_withdrawn,invitation_sent");
}

TEST_F(JoiningOverTheApi, OutlivesTheServer) {
  const auto body = linking(newcomer, 2);
  const auto linked = ok(post("addresses/link", 2, body, "of-a-link"));
  server.kill_hard();
  start();
  EXPECT_EQ(post("addresses/link", 2, body, "of-a-link").body, linked.body);
  EXPECT_EQ(sql("SELECT count(*) FROM addresses WHERE kind = 'linked' AND first_seen_at IS NOT NULL"), "1");
  expect_sound();
}

} // namespace
} // namespace credence::test
