#include "http/routes.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"

#include <gtest/gtest.h>

#include <string>

// Who did what that matters.

namespace credence::test {
namespace {

using namespace std::chrono_literals;

class Audit : public testing::Test {
protected:
  Audit() {
    link_wallet(server, wallet, 3);
    auto flags = allow_pages;
    flags.insert(flags.end(), {"--admin", "1"});
    server.start(flags);
  }

  std::string sql(const std::string& text) { return server.database().sql(text); }
  /// A column of the newest row that tells of `act`.
  std::string newest(const std::string& act, const std::string& column) {
    return sql("SELECT coalesce(" + column + "::text, 'null') FROM audit_log WHERE act = '" + act
               + "' ORDER BY number DESC LIMIT 1");
  }
  int rows() { return std::stoi(sql("SELECT count(*) FROM audit_log")); }
  http_response send(const std::string& method, const std::string& target, http_headers as,
                     const std::string& body = {}) {
    as.emplace_back("X-Request-Id", "request-" + std::to_string(++requests));
    return server.client().send(method, target, with_json(std::move(as)), body);
  }
  std::string last_request() const { return "request-" + std::to_string(requests); }
  void damage(const std::string& text) { sql("SET session_replication_role = replica; " + text); }

  const auth::wallet wallet{"somebody who is watched"};
  service server;
  int requests = 0;
};

TEST_F(Audit, TellsOfLoginsKeysAndSessions) {
  const auto mine = log_in(server, wallet);
  EXPECT_EQ(newest("session_opened", "profile_id"), "3");
  EXPECT_EQ(newest("session_opened", "caller_id"), "null") << "the signature says who it is";
  EXPECT_TRUE(newest("session_opened", "credential").starts_with("wallet 0x"));
  EXPECT_EQ(newest("session_opened", "address"), "127.0.0.1");
  const auto session = newest("session_opened", "subject");
  EXPECT_TRUE(session.starts_with("session "));

  ASSERT_EQ(send("POST", "/api/v2/api-keys", {}, key_order(wallet, "watched")).status, 200);
  EXPECT_EQ(newest("key_created", "request_id"), last_request());
  EXPECT_EQ(newest("key_created", "before"), "null");
  EXPECT_TRUE(newest("key_created", "after").starts_with("name watched; until 20"));
  const auto key = newest("key_created", "subject");

  ASSERT_EQ(send("DELETE", "/api/v2/api-keys/" + key.substr(8), by_cookie(mine.access_cookie, allowed_page)).status,
            200);
  EXPECT_EQ(newest("key_revoked", "subject"), key);
  EXPECT_EQ(newest("key_revoked", "caller_id"), "3");
  EXPECT_EQ(newest("key_revoked", "credential"), session) << "it was this session that asked";
  EXPECT_EQ(newest("key_revoked", "request_id"), last_request());
  EXPECT_EQ(newest("key_revoked", "after"), "ended: asked for");

  ASSERT_EQ(send("DELETE", "/api/v2/auth/sessions/" + session.substr(8), by_bearer(mine.access_token)).status, 200);
  EXPECT_EQ(newest("session_ended", "subject"), session);
  EXPECT_EQ(newest("session_ended", "credential"), "access token of " + session);
  EXPECT_EQ(server.command({"verify"}).code, 0);
}

TEST_F(Audit, TellsOfMoneyAndWhatAdminsDo) {
  const auto admin = by_bearer(server.token(1));
  ASSERT_EQ(send("POST", "/api/v2/markets/deposits", admin, R"({"profileId":3,"amount":"1000"})").status, 200);
  EXPECT_EQ(newest("deposit", "profile_id"), "3");
  EXPECT_EQ(newest("deposit", "caller_id"), "1");
  EXPECT_TRUE(newest("deposit", "credential").starts_with("access token ")) << "an admin's token has an id";
  EXPECT_EQ(newest("deposit", "request_id"), last_request());
  const auto before = std::stoll(newest("deposit", "before"));
  EXPECT_EQ(std::stoll(newest("deposit", "after")), before + 1000);
  ASSERT_EQ(send("POST", "/api/v2/markets/withdrawals", admin, R"({"profileId":3,"amount":"400"})").status, 200);
  EXPECT_EQ(std::stoll(newest("withdrawal", "before")), before + 1000);
  EXPECT_EQ(std::stoll(newest("withdrawal", "after")), before + 600);
  auto keyed = admin;
  keyed.emplace_back("Idempotency-Key", "once");
  ASSERT_EQ(send("POST", "/api/v2/markets/deposits", keyed, R"({"profileId":4,"amount":"7"})").status, 200);
  EXPECT_EQ(newest("deposit", "request_id"), last_request()) << "also when it may be repeated";
  const auto so_far = rows();
  ASSERT_EQ(send("POST", "/api/v2/markets/deposits", keyed, R"({"profileId":4,"amount":"7"})").status, 200);
  EXPECT_EQ(rows(), so_far) << "a repeat has no effect";
  ASSERT_EQ(send("POST", "/api/v2/projects/votes/reallocate", admin, "{}").status, 200);
  EXPECT_EQ(newest("period_opened", "caller_id"), "1");
  EXPECT_EQ(newest("period_opened", "request_id"), last_request());
  EXPECT_EQ(server.command({"verify"}).code, 0);
  damage("DELETE FROM audit_log WHERE number = (SELECT max(number) FROM audit_log WHERE act = 'deposit')");
  const auto found = server.command({"verify"});
  EXPECT_EQ(found.code, 7);
  EXPECT_NE(found.out.find("BROKEN  audit_money:"), std::string::npos) << found.out;
}

TEST_F(Audit, TellsNothingOfVotesAndTips) {
  const auto before = rows();
  auto client = server.client();
  EXPECT_EQ(client.post("/api/v2/xp/tip", R"({"receiverUserkey":"profileId:5","amount":1})", server.token(4)).status,
            200);
  client.post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(server.voters().back()));
  EXPECT_EQ(rows(), before);
}

TEST_F(Audit, WhatOperatorsDoByHandIsToldToo) {
  ASSERT_EQ(server.command({"access", "3", "--off"}).code, 0);
  EXPECT_EQ(newest("api_access_changed", "profile_id"), "3");
  EXPECT_TRUE(newest("api_access_changed", "credential").starts_with("operator "));
  EXPECT_EQ(newest("api_access_changed", "before"), "allowed");
  EXPECT_EQ(newest("api_access_changed", "after"), "not allowed");
  log_in(server, wallet);
  EXPECT_EQ(server.command({"verify"}).code, 0) << "both wrote to one chain";
}

TEST_F(Audit, DamageIsFound) {
  for (int i = 0; i < 3; ++i)
    log_in(server, wallet);
  EXPECT_ANY_THROW(sql("UPDATE audit_log SET profile_id = 4"));
  EXPECT_ANY_THROW(sql("DELETE FROM audit_log"));
  EXPECT_ANY_THROW(sql("TRUNCATE audit_log"));
  const auto expect_broken = [&](const char* text) {
    const auto found = server.command({"verify"});
    EXPECT_EQ(found.code, 7) << text;
    EXPECT_NE(found.out.find("BROKEN  audit:"), std::string::npos) << text << found.out;
  };
  damage("UPDATE audit_log SET profile_id = 4 WHERE number = 2");
  expect_broken("a row that was changed");
  damage("UPDATE audit_log SET hash = audit_hash(audit_log) WHERE number = 2");
  expect_broken("and given a hash that fits");
  damage("UPDATE audit_log SET profile_id = 3 WHERE number = 2");
  damage("UPDATE audit_log SET hash = audit_hash(audit_log) WHERE number = 2");
  ASSERT_EQ(server.command({"verify"}).code, 0);
  damage("DELETE FROM audit_log WHERE number = 2");
  expect_broken("a row that is gone");
}

TEST_F(Audit, RefusedCredentialsAndReusedTokensAreCounted) {
  const auto mine = log_in(server, wallet);
  const auto metric = [&](const std::string& name) {
    const auto all = http_client{server.operator_port()}.get("/metrics").body;
    const auto at = all.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stoi(all.substr(at + name.size() + 2));
  };
  EXPECT_EQ(metric(R"(credence_credentials_refused_total{kind="api_key"})"), 0);
  auto client = server.client();
  EXPECT_EQ(client.send("GET", "/api/v2/xp/tips/sent", by_key("crd_something-that-was-guessed")).status, 401);
  EXPECT_EQ(client.send("GET", "/api/v2/xp/tips/sent", by_bearer("a.guessed.token")).status, 401);
  EXPECT_EQ(metric(R"(credence_credentials_refused_total{kind="api_key"})"), 1);
  EXPECT_EQ(metric(R"(credence_credentials_refused_total{kind="access_token"})"), 1);
  EXPECT_TRUE(server.logs("\"credential_refused\"")) << server.log();
  EXPECT_EQ(server.log().find("guessed"), std::string::npos);

  const auto refresh = [&](const std::string& token) {
    return client.send("POST", "/api/v2/auth/refresh",
                       {{"Cookie", "service-refresh-token=" + token}, {"Origin", allowed_page}});
  };
  const auto once = refresh(mine.refresh_cookie);
  ASSERT_EQ(once.status, 200);
  ASSERT_EQ(refresh(once.cookie("service-refresh-token")).status, 200);
  EXPECT_EQ(metric("credence_refresh_tokens_reused_total"), 0);
  EXPECT_EQ(refresh(mine.refresh_cookie).status, 401) << "replaced twice";
  EXPECT_EQ(metric("credence_refresh_tokens_reused_total"), 1);
  EXPECT_EQ(newest("session_ended", "after"), "ended: a replaced refresh token came back");
}

/// A new route for admins, or one that moves credentials, has to be told of.
TEST_F(Audit, EveryRouteOfAdminsIsToldOf) {
  for (const auto& to : http::routes())
    if (to.verb != http::method::get
        && (to.who == http::access::admin || to.path.starts_with("/api/v2/auth/") || to.may == scope::keys)) {
      EXPECT_EQ(to.does, http::effect::audited) << to.path;
    }
}

} // namespace
} // namespace credence::test
