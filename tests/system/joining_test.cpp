#include "actors/domain/address.hpp"
#include "tests/auth/siwe_text.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/service.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace credence::test {
namespace {

/// Profiles, addresses and invitations over the API, in the whole service. Profile 1 is an admin.
class JoiningOverTheApi : public testing::Test {
protected:
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
  static std::string code(const http_response& of) {
    return std::to_string(of.status) + " " + json_text(of.body, "/code");
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
    const auto sent = post("invitations", sender, R"({"address":")" + text_of(whom) + R"("})");
    EXPECT_EQ(sent.status, 200) << sent.body;
    return sent.body;
  }
  void expect_sound() {
    const auto found = server.command({"verify"});
    EXPECT_EQ(found.code, 0) << found.out << found.err;
  }

  const auth::wallet newcomer{"somebody new"};
  const auth::wallet another{"somebody else"};
  service server;
};

TEST_F(JoiningOverTheApi, AnInvitationLetsWhoeverSignsMakeAProfile) {
  EXPECT_EQ(code(post("profiles/create", 0, joining(newcomer))), "403 NOT_INVITED");
  const auto sent = invite(2, newcomer);
  EXPECT_EQ(json_text(sent, "/status"), "INVITED");
  const auto made = post("profiles/create", 0, joining(newcomer));
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(json_number(made.body, "/profile/id"), 61);
  EXPECT_EQ(json_number(made.body, "/profile/invitedBy"), 2);
  EXPECT_EQ(json_number(made.body, "/profile/invitesAvailable"), 5);
  EXPECT_EQ(json_text(made.body, "/user/status"), "ACTIVE");
  EXPECT_EQ(made.body, server.client().get("/api/v2/internal/users/profileId:61").body);
  const auto in = server.client().post("/api/v2/auth/login", joining(newcomer, {}, "Sign in."));
  ASSERT_EQ(in.status, 200) << in.body;
  const auto token = by_bearer(json_text(in.body, "/accessToken"));
  const auto review = server.client().send("POST", "/api/v2/reviews/create", with_json(token),
                                           R"({"subject":"profileId:2","score":"positive","comment":"asked me in"})");
  EXPECT_EQ(review.status, 200) << review.body;
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
  const auto tried = post("profiles/create?dryRun=true", 1, order);
  EXPECT_EQ(tried.body, R"({"ok":true})");
  const auto made = post("profiles/create", 1, order, "a-key");
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(json_number(made.body, "/profile/invitedBy"), 3);
  EXPECT_EQ(post("profiles/create", 1, order, "a-key").body, made.body) << "the same request";
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM profiles WHERE id > 60"), "1");
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
  const auto linked = post("addresses/link", 2, first);
  ASSERT_EQ(linked.status, 200) << linked.body;
  EXPECT_NE(linked.body.find(auth::checksummed_text(newcomer.account())), std::string::npos) << linked.body;
  EXPECT_EQ(code(post("addresses/link", 3, linking(another, 2))), "400 INVALID_MESSAGE")
    << "it was signed for another profile";
  EXPECT_EQ(code(post("addresses/link", 3, linking(newcomer, 3))), "409 ADDRESS_TAKEN");
  auto forged = key_message(another);
  forged.statement = "Link this address to profile 3.";
  EXPECT_EQ(code(post("addresses/link", 3, login_body(forged, newcomer))), "400 INVALID_SIGNATURE");
  const auto address = R"({"address":")" + text_of(newcomer) + R"("})";
  EXPECT_EQ(code(post("addresses/unlink", 3, address)), "404 NOT_FOUND");
  const auto gone = post("addresses/unlink", 2, address);
  ASSERT_EQ(gone.status, 200) << gone.body;
  EXPECT_EQ(gone.body.find(auth::checksummed_text(newcomer.account())), std::string::npos);
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
  struct key_order first {
    demo_wallet(2)
  };
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
    post("reviews/create", 2,
         R"({"subject":"address:)" + text_of(newcomer) + R"(","score":"positive","comment":"me, myself"})");
  ASSERT_EQ(review.status, 200) << review.body;
  EXPECT_EQ(code(post("addresses/link", 2, linking(newcomer, 2))), "409 OWN_RECORDS");
  ASSERT_EQ(post("reviews/" + std::to_string(json_number(review.body, "/id")) + "/archive", 2, "{}").status, 200);
  EXPECT_EQ(post("addresses/link", 2, linking(newcomer, 2)).status, 200);
  expect_sound();
}

TEST_F(JoiningOverTheApi, OneAddressLinkedByManyAtOnceIsOfOne) {
  for (int round = 0; round < 3; ++round) {
    const auth::wallet wanted{"wanted " + std::to_string(round)};
    std::vector<std::thread> all;
    std::vector<http_response> answers(6);
    for (int i = 0; i < 6; ++i)
      all.emplace_back([&, i] {
        const int who = 2 + i % 3;
        auto client = server.client();
        answers[static_cast<std::size_t>(i)] =
          post_until_decided(client, "/api/v2/addresses/link", linking(wanted, who), by_bearer(server.token(who)));
      });
    for (auto& each : all)
      each.join();
    const auto owner =
      server.database().sql("SELECT p.id FROM addresses a JOIN profiles p USING (user_id) WHERE a.address = decode('"
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
  const auto edited = edit(
    2, R"({"displayName":"A Name","username":"A_Name","avatarUrl":"https://a.example/b.png","description":"words"})");
  ASSERT_EQ(edited.status, 200) << edited.body;
  EXPECT_EQ(json_text(edited.body, "/user/displayName"), "A Name");
  EXPECT_EQ(json_text(edited.body, "/user/username"), "A_Name");
  EXPECT_EQ(json_number(server.client().get("/api/v2/user/by/username/a_name").body, "/profileId"), 2)
    << "and found by it";
  EXPECT_EQ(code(edit(3, R"({"username":"a_NAME"})")), "409 USERNAME_TAKEN");
  for (const auto* bad : {"{}", R"({"username":"a b"})", R"({"displayName":""})", R"({"displayName":"   "})",
                          R"({"displayName":"A\u202eN"})", R"({"username":"12"})", R"({"username":"0xAb"})",
                          R"({"avatarUrl":"http://a.example/b.png"})", R"({"avatarUrl":"https://a.example/b.png'x"})",
                          R"({"description":7})"})
    EXPECT_EQ(edit(3, bad).status, 400) << bad;
  EXPECT_EQ(edit(2, R"({"description":""})").status, 200);
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM users WHERE username = 'A_Name' AND description IS NULL"), "1");
}

TEST_F(JoiningOverTheApi, AnArchivedProfileWritesNothingUntilItIsRestored) {
  EXPECT_EQ(code(post("profiles/3/archive", 2, "{}")), "403 FORBIDDEN");
  const auto archived = post("profiles/3/archive", 1, "{}");
  ASSERT_EQ(archived.status, 200) << archived.body;
  EXPECT_EQ(json_text(archived.body, "/user/status"), "INACTIVE");
  const auto vote = [&] { return post("projects/1/votes", 3, R"({"voteType":"BULLISH"})"); };
  EXPECT_EQ(code(vote()), "403 PROFILE_NOT_LIVE") << "everybody knows by the time that it is answered";
  EXPECT_EQ(code(post("invitations", 3, R"({"address":")" + text_of(newcomer) + R"("})")), "403 PROFILE_NOT_LIVE");
  EXPECT_EQ(code(post("profiles/999/archive", 1, "{}")), "404 NOT_FOUND");
  EXPECT_EQ(code(post("profiles/3/restore", 3, "{}")), "403 FORBIDDEN") << "an admin may have archived it";
  const auto restored = post("profiles/3/restore", 1, "{}");
  EXPECT_EQ(json_text(restored.body, "/user/status"), "ACTIVE") << restored.body;
  const auto after = vote();
  EXPECT_NE(after.status, 403) << after.body;
  expect_sound();
}

TEST_F(JoiningOverTheApi, InvitationsRunOutAndComeBack) {
  server.database().sql("UPDATE profiles SET invites_available = 1 WHERE id = 2");
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
  EXPECT_EQ(
    server.database().sql("SELECT string_agg(act, ',' ORDER BY number) FROM audit_log WHERE act LIKE 'invitation%'"),
    "invitation_sent,invitation_withdrawn,invitation_sent");
}

TEST_F(JoiningOverTheApi, OutlivesTheServer) {
  const auto body = linking(newcomer, 2);
  const auto linked = post("addresses/link", 2, body, "of-a-link");
  ASSERT_EQ(linked.status, 200) << linked.body;
  server.kill_hard();
  start();
  EXPECT_EQ(post("addresses/link", 2, body, "of-a-link").body, linked.body);
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM addresses WHERE kind = 'linked' AND first_seen_at IS NOT NULL"),
            "1");
  expect_sound();
}

} // namespace
} // namespace credence::test
