#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <string>

// What a session and the tokens told with it come to, and when.

namespace credence::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* balance = "/api/v2/projects/votes/balance";
constexpr const char* sessions = "/api/v2/auth/sessions";

class SessionEnds : public testing::Test {
protected:
  SessionEnds() {
    link_wallet(server, wallet, 3);
    server.start(allow_pages);
  }

  int status(const http_headers& as, const char* at = balance) { return server.client().send("GET", at, as).status; }
  http_response remove(const std::string& target, const http_headers& as) {
    return server.client().send("DELETE", target, as);
  }
  http_response refresh(const browser_session& of) {
    return server.client().send("POST", "/api/v2/auth/refresh",
                                {{"Cookie", "service-refresh-token=" + of.refresh_cookie}, {"Origin", allowed_page}});
  }
  /// The id that a session has in the list, where it finds itself marked.
  std::string id_of(const browser_session& mine) {
    const auto all = server.client().send("GET", sessions, by_cookie(mine.access_cookie)).body;
    const auto marked = all.find("\"current\":true");
    return json_text("[" + all.substr(all.rfind('{', marked), all.find('}', marked) + 1 - all.rfind('{', marked)) + "]",
                     "/0/id");
  }

  const auth::wallet wallet{"somebody who signs in"};
  service server;
};

TEST_F(SessionEnds, ALoginTokenEndsWithItsSession) {
  const auto mine = log_in(server, wallet);
  const auto other = log_in(server, wallet);
  ASSERT_EQ(status(by_bearer(mine.access_token)), 200);
  ASSERT_EQ(server.client()
              .send("POST", "/api/v2/auth/logout",
                    {{"Cookie", "service-refresh-token=" + mine.refresh_cookie}, {"Origin", allowed_page}})
              .status,
            200);
  EXPECT_EQ(status(by_bearer(mine.access_token)), 401) << "where it was known";
  EXPECT_EQ(status(by_cookie(mine.access_cookie)), 401);
  EXPECT_EQ(status(by_bearer(other.access_token)), 200) << "of another session of the same profile";
  server.kill_hard();
  server.start(allow_pages);
  EXPECT_EQ(status(by_bearer(mine.access_token)), 401) << "by whom it was never seen";
  EXPECT_EQ(status(by_bearer(other.access_token)), 200);
}

TEST_F(SessionEnds, OnlyAFreshTokenIsTradedForASession) {
  const auto now = std::chrono::floor<std::chrono::seconds>(system_now());
  const auto traded = [&](std::chrono::seconds age) {
    const auto token = auth::mint_access_token(token_rules_of(server), profile_id{3}, false, now - age, 24h);
    EXPECT_EQ(status(by_bearer(token)), 200) << "it is good for everything else";
    return server.client().send("POST", "/api/v2/auth/exchange", by_bearer(token)).status;
  };
  EXPECT_EQ(traded(1min), 200);
  EXPECT_EQ(traded(6min), 401);
  EXPECT_EQ(traded(23h), 401);
}

TEST_F(SessionEnds, TheirOwnerSeesThemAndEndsAnyOfThem) {
  const auto mine = log_in(server, wallet);
  const auto other = log_in(server, wallet);
  const auto key = make_key(server, wallet);
  const auto seen = server.client().send("GET", sessions, by_bearer(mine.access_token));
  ASSERT_EQ(seen.status, 200) << seen.body;
  EXPECT_EQ(json_text(seen.body, "/0/address"), json_text(seen.body, "/1/address"));
  EXPECT_GT(json_text(seen.body, "/0/expiresAt"), iso_text(system_now() + 29 * 24h));
  EXPECT_EQ(seen.body.find(mine.refresh_cookie), std::string::npos);
  const auto own = id_of(mine);
  const auto others = id_of(other);
  ASSERT_NE(own, others);

  const auto unknown =
    remove(std::string{sessions} + "/6b1f0c5e-0000-4000-8000-000000000000", by_bearer(mine.access_token));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(json_text(unknown.body, "/code"), "SESSION_NOT_FOUND");
  EXPECT_EQ(remove(std::string{sessions} + "/" + others, by_bearer(fresh_token(server, 4))).status, 404)
    << "somebody else's";
  EXPECT_EQ(remove(std::string{sessions} + "/" + others, by_key(key.token)).status, 403);
  EXPECT_EQ(remove(std::string{sessions} + "/" + others, by_cookie(mine.access_cookie)).status, 403)
    << "without an origin";
  EXPECT_EQ(remove(std::string{sessions} + "/", by_cookie(mine.access_cookie, allowed_page)).status, 404)
    << "a missing id does not end them all";
  EXPECT_EQ(status(by_cookie(other.access_cookie)), 200);
  EXPECT_EQ(remove(std::string{sessions} + "/" + others + "/", by_cookie(mine.access_cookie, allowed_page)).status, 200)
    << "as without the slash";
  EXPECT_EQ(status(by_cookie(other.access_cookie)), 401);
  EXPECT_EQ(status(by_bearer(other.access_token)), 401);
  EXPECT_EQ(refresh(other).status, 401);
  EXPECT_EQ(status(by_cookie(mine.access_cookie)), 200);
}

TEST_F(SessionEnds, AllOthersEndAtOnce) {
  const auto mine = log_in(server, wallet);
  const auto second = log_in(server, wallet);
  const auto third = log_in(server, wallet);
  EXPECT_EQ(remove(sessions, by_bearer(mine.access_token)).status, 200);
  for (const auto& each : {second, third}) {
    EXPECT_EQ(status(by_cookie(each.access_cookie)), 401);
    EXPECT_EQ(status(by_bearer(each.access_token)), 401);
  }
  EXPECT_EQ(status(by_cookie(mine.access_cookie)), 200);
  EXPECT_EQ(status(by_bearer(mine.access_token)), 200);
  EXPECT_EQ(remove(sessions, by_bearer(fresh_token(server, 3))).status, 200)
    << "a token that is of no session ends them all";
  EXPECT_EQ(status(by_cookie(mine.access_cookie)), 401);
}

TEST_F(SessionEnds, OneThatNobodyRefreshesEnds) {
  const auto idle = log_in(server, wallet);
  const auto busy = log_in(server, wallet);
  const auto id = id_of(idle);
  server.kill_hard();
  server.database().sql("UPDATE sessions SET rotated_at = rotated_at - interval '14 days' WHERE id = '" + id + "'");
  server.start(allow_pages);
  EXPECT_EQ(status(by_cookie(idle.access_cookie)), 401);
  EXPECT_EQ(refresh(idle).status, 401);
  EXPECT_EQ(refresh(busy).status, 200);
}

TEST_F(SessionEnds, SessionsAndKeysEndWhenTheirWalletLeavesTheProfile) {
  const auth::wallet stays{"a second wallet of the same profile"};
  link_wallet(server, stays, 3);
  const auto mine = log_in(server, wallet);
  const auto key = make_key(server, wallet);
  const auto other = log_in(server, stays);
  const auto other_key = make_key(server, stays, "stays");
  ASSERT_EQ(status(by_key(key.token)), 200);
  server.database().sql(
    "UPDATE addresses SET user_id = (SELECT user_id FROM profiles WHERE id = 4) WHERE address = (SELECT address"
    " FROM api_keys WHERE id = '"
    + key.id + "')");
  EXPECT_EQ(refresh(mine).status, 401) << "a session is not renewed for a wallet that is somebody else's";
  EXPECT_EQ(status(by_cookie(mine.access_cookie)), 401);
  EXPECT_EQ(status(by_bearer(mine.access_token)), 401);
  EXPECT_EQ(status(by_key(key.token)), 401) << "it was noticed";
  EXPECT_EQ(status(by_cookie(other.access_cookie)), 200);
  EXPECT_EQ(refresh(other).status, 200);
  EXPECT_EQ(status(by_key(other_key.token)), 200);
  // Nor do they come back with the wallet.
  const auto ended = [&] {
    return server.database().sql("SELECT count(*) FROM audit_log WHERE after LIKE 'ended: its wallet has left%'");
  };
  EXPECT_TRUE(await("both ends", [&] { return ended() == "2"; })) << ended();
  server.database().sql(
    "UPDATE addresses SET user_id = (SELECT user_id FROM profiles WHERE id = 3) WHERE address = (SELECT address"
    " FROM api_keys WHERE id = '"
    + key.id + "')");
  server.kill_hard();
  server.start(allow_pages);
  EXPECT_EQ(status(by_key(key.token)), 401);
  EXPECT_EQ(refresh(mine).status, 401);
  EXPECT_EQ(status(by_key(other_key.token)), 200);
}

} // namespace
} // namespace credence::test
