#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <string>

// Keys that sign tokens, and tokens that operators make with them.

namespace credence::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* balance = "/api/v2/projects/votes/balance";
constexpr const char* reallocate = "/api/v2/projects/votes/reallocate";

class SigningKeys : public testing::Test {
protected:
  SigningKeys() { link_wallet(server, wallet, 3); }

  void restart() {
    server.kill_hard();
    server.start();
  }
  int status(const http_headers& as) { return server.client().send("GET", balance, as).status; }
  std::string minted(std::vector<std::string> words) {
    words.insert(words.begin(), "token");
    words.emplace_back("--json");
    const auto done = server.command(words);
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out;
  }
  int advance(const std::string& token) { return server.client().post(reallocate, "{}", token).status; }

  const auth::wallet wallet{"somebody with an old key"};
  service server;
};

TEST_F(SigningKeys, WhatAnOlderOneSignedHoldsUntilItIsRetired) {
  server.start();
  const auto token = server.token(3);
  const auto key = make_key(server, wallet);
  const auto session = log_in(server, wallet);
  const auto old = server.command({"signing-keys", "list"}).out.substr(0, 16);
  ASSERT_EQ(server.command({"signing-keys", "rotate"}).code, 0);
  EXPECT_EQ(server.command({"signing-keys", "retire", "0000000000000000"}).code, 1) << "there is none of that id";
  restart();
  EXPECT_EQ(status(by_bearer(token)), 200);
  EXPECT_EQ(status(by_key(key.token)), 200);
  EXPECT_EQ(status(by_cookie(session.access_cookie)), 200);
  EXPECT_EQ(status(by_bearer(log_in(server, wallet).access_token)), 200);
  const auto fresh = fresh_token(server, 3);
  EXPECT_NE(fresh.substr(0, fresh.find('.')), token.substr(0, token.find('.'))) << "signed with another key";
  EXPECT_EQ(status(by_bearer(fresh)), 200);
  const auto listed = server.command({"signing-keys", "list"}).out;
  EXPECT_NE(listed.find(old + " signed before"), std::string::npos) << listed;
  EXPECT_EQ(server.command({"signing-keys", "retire", listed.substr(0, 16)}).code, 1) << "the one that signs stays";
  ASSERT_EQ(server.command({"signing-keys", "retire", old}).code, 0);
  restart();
  EXPECT_EQ(status(by_bearer(token)), 401);
  EXPECT_EQ(status(by_key(key.token)), 401);
  EXPECT_EQ(status(by_bearer(fresh)), 200);
}

TEST_F(SigningKeys, ConfiguredOnesAreReplacedTheSameWay) {
  const std::string first(40, 'a'), second(40, 'b');
  const auth::token_rules by_first{secret{first}, "credence", "credence-api", 30s};
  const auto now = std::chrono::floor<std::chrono::seconds>(system_now());
  const auto token = auth::mint_access_token(by_first, profile_id{3}, false, now, 1h);
  server.run_with({{"CREDENCE_AUTH_TOKEN_SECRET", second}, {"CREDENCE_AUTH_TOKEN_SECRET_BEFORE", first}});
  server.start();
  EXPECT_EQ(status(by_bearer(token)), 200);
  server.run_with({{"CREDENCE_AUTH_TOKEN_SECRET", second}});
  restart();
  EXPECT_EQ(status(by_bearer(token)), 401);
}

TEST_F(SigningKeys, AnAdminsTokenLivesHoursAndIsTakenBack) {
  server.start();
  EXPECT_EQ(server.command({"token", "7", "--admin", "--lifetime", "86401"}).code, 2);
  for (const auto* no_id : {"abc", "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcde"})
    EXPECT_EQ(server.command({"revoke", "7", no_id}).code, 2) << no_id << " is the id of no token";
  const auto made = minted({"7", "--admin"});
  EXPECT_EQ(json_number(made, "/expiresIn"), 8 * 3600);
  const auto token = json_text(made, "/token");
  const auto other = json_text(minted({"7", "--admin"}), "/token");
  ASSERT_EQ(advance(token), 200);
  ASSERT_EQ(advance(other), 200);
  ASSERT_EQ(server.command({"revoke", "7", json_text(made, "/id")}).code, 0);
  await("the token's end", [&] { return status(by_bearer(token)) != 200; });
  EXPECT_EQ(advance(token), 401);
  EXPECT_EQ(status(by_bearer(token)), 401) << "nor is it good for anything else";
  EXPECT_EQ(advance(other), 200);
  ASSERT_EQ(server.command({"revoke", "7", other}).code, 0) << "the token does as well as its id";
  restart();
  EXPECT_EQ(advance(token), 401);
  EXPECT_EQ(advance(other), 401);
  EXPECT_EQ(server.database().sql("SELECT count(*) FROM audit_log WHERE act = 'token_revoked' AND profile_id = 7"),
            "2");
}

TEST_F(SigningKeys, ATokenThatLivesForLongIsNobodysAdmin) {
  server.start({"--admin", "1"});
  const auto now = std::chrono::floor<std::chrono::seconds>(system_now());
  auth::token_claims claims;
  claims.profile = profile_id{7};
  claims.admin = true;
  claims.id = "an-id";
  claims.issued_at = now;
  claims.expires_at = now + 24h * 365;
  EXPECT_EQ(advance(auth::mint_token(token_rules_of(server), claims)), 403);
  claims.profile = profile_id{1}; // in auth.admins
  claims.admin = false;
  EXPECT_EQ(advance(auth::mint_token(token_rules_of(server), claims)), 403);
  claims.expires_at = now + 1h;
  EXPECT_EQ(advance(auth::mint_token(token_rules_of(server), claims)), 200);
  claims.profile = profile_id{7};
  claims.admin = true;
  claims.id.clear(); // nobody could take it back
  EXPECT_EQ(advance(auth::mint_token(token_rules_of(server), claims)), 403);
}

} // namespace
} // namespace credence::test
