#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/partner_page.hpp"
#include "tests/system/signing.hpp"
#include "tests/waiting.hpp"

#include <unistd.h>

#include <stdexcept>

namespace credence::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* page = "https://app.credence.test"; // an allowed origin
constexpr const char* balance_path = "/api/v2/projects/votes/balance";
const std::vector<std::string> flags{"--public-url", signing_origin};

void prepare(service& one) {
  one.run_with({{"CREDENCE_HTTP_ALLOWED_ORIGINS", page}});
  one.start(flags);
}

service& shared() { return shared_service(prepare); }

/// A page that does not say which program it is.
struct browser : partner_page {
  explicit browser(service& at = shared(), std::string origin = page) : partner_page(at, std::move(origin)) {
    without_client();
  }
};

const std::string access = "__Host-service-access-token"; // the service is at an https URL
const std::string refresh = "__Host-service-refresh-token";

browser signed_in(int profile, service& at = shared()) {
  browser out{at};
  if (const auto answer = out.exchange(fresh_token(at, profile)); answer.status != 200)
    throw std::runtime_error("no session: " + answer.body);
  return out;
}

/// What the session itself may do: a read, by cookie alone.
int reads(browser& by) { return by.get(balance_path).status; }

// -- opening ------------------------------------------------------------------------------

TEST(Sessions, AnAccessTokenIsTradedForCookies) {
  browser mine;
  EXPECT_EQ(reads(mine), 401);
  const auto answer = ok(mine.exchange(fresh_token(shared(), 2)));
  EXPECT_EQ(answer.body, R"({"ok":true})");
  EXPECT_EQ(answer.headers.at("access-control-allow-credentials"), "true");
  EXPECT_EQ(answer.headers.at("access-control-allow-origin"), page);
  ASSERT_EQ(answer.cookies.size(), 2u);
  struct row {
    std::string name, path, age;
  };
  for (const auto& [name, path, age] : std::vector<row>{{access, "/", "900"}, {refresh, "/", "2592000"}}) {
    const auto& set = answer.cookies[name == access ? 0 : 1];
    EXPECT_TRUE(set.starts_with(name + "=ey")) << set;
    EXPECT_TRUE(has(set, "; Path=" + path + ";", "; Max-Age=" + age + ";", "; HttpOnly", "; Secure", "; SameSite=Lax"));
    EXPECT_FALSE(has(set, "Domain"));
  }
  EXPECT_EQ(reads(mine), 200);
  EXPECT_FALSE(has(shared().log(), mine.cookies[refresh]));
  EXPECT_FALSE(has(shared().database().sql("SELECT * FROM sessions"), mine.cookies[refresh]));
}

TEST(Sessions, OnlyAnAccessTokenIsTraded) {
  auto client = shared().client();
  const auto made = ok(client.post("/api/v2/api-keys", key_order{2}.body()));
  EXPECT_EQ(with_key(client, "POST", "/api/v2/auth/exchange", json_text(made.body, "/token")).status, 401);
  EXPECT_EQ(client.send("POST", "/api/v2/auth/exchange").status, 401);
  EXPECT_EQ(signed_in(2).post("/api/v2/auth/exchange").status, 401) << "nor a session for another";
  browser elsewhere{shared(), "https://evil.example"};
  EXPECT_EQ(elsewhere.exchange(fresh_token(shared(), 2)).status, 403);
  browser nowhere{shared(), ""};
  EXPECT_EQ(nowhere.exchange(fresh_token(shared(), 2)).status, 200) << "what is no page has no origin";
}

// -- signing in -----------------------------------------------------------------------------

auth::siwe_message login_message(int profile) {
  auto client = shared().client();
  const auto answer = client.get("/api/v2/auth/nonce");
  EXPECT_EQ(answer.headers.at("cache-control"), "no-store");
  auto out = key_message(demo_wallet(profile));
  out.statement = "Sign in.";
  out.nonce = json_text(answer.body, "/nonce");
  return out;
}

TEST(Sessions, AWalletSignsInForATokenAndCookies) {
  browser mine;
  auto says = login_message(3);
  says.domain = std::string{page}.substr(8); // the page's own
  says.uri = page;
  const auto body = login_body(says, demo_wallet(3));
  const auto answer = ok(mine.post("/api/v2/auth/login", body));
  EXPECT_EQ(json_number(answer.body, "/profileId"), 3);
  EXPECT_EQ(answer.headers.at("cache-control"), "no-store");
  EXPECT_GT(json_text(answer.body, "/expiresAt"), iso_text(system_now() + 59min));
  EXPECT_EQ(reads(mine), 200);
  EXPECT_EQ(shared().client().get(balance_path, json_text(answer.body, "/accessToken")).status, 200);
  const auto again = mine.post("/api/v2/auth/login", body);
  EXPECT_EQ(code(again), "400 NONCE_REUSED");
  const auto key = key_order{3};
  auto same = key;
  same.says.nonce = says.nonce;
  EXPECT_EQ(json_text(shared().client().post("/api/v2/api-keys", same.body()).body, "/code"), "INVALID_MESSAGE")
    << "nor for anything else";
}

TEST(Sessions, ASignInThatIsNotRightIsRefused) {
  struct row {
    const char* situation;
    void (*spoil)(auth::siwe_message&);
    const char* code;
  };
  using m = auth::siwe_message&;
  auto client = shared().client();
  for (const auto& [value, spoil, code] : std::vector<row>{
         {"a nonce of its own", [](m x) { x.nonce = fresh_nonce(); }, "INVALID_MESSAGE"},
         {"a forged nonce", [](m x) { x.nonce.back() = x.nonce.back() == '0' ? '1' : '0'; }, "INVALID_MESSAGE"},
         {"an older nonce", [](m x) { x.nonce[5] = x.nonce[5] == '0' ? '1' : '0'; }, "INVALID_MESSAGE"},
         {"another domain", [](m x) { x.domain = "evil.example"; }, "INVALID_MESSAGE"},
         {"another URI", [](m x) { x.uri = "https://evil.example"; }, "INVALID_MESSAGE"},
         {"another chain", [](m x) { x.chain_id = 1; }, "INVALID_MESSAGE"},
         {"no expiration", [](m x) { x.expiration_time.reset(); }, "INVALID_MESSAGE"},
         {"over",
          [](m x) {
            x.issued_at = moment(system_now() - 5min);
            x.expiration_time = moment(system_now() - 1s);
          },
          "MESSAGE_EXPIRED"},
         {"to link an address", [](m x) { x.statement = "Link this address to profile 3."; }, "INVALID_MESSAGE"},
         {"to make a key", [](m x) { x.statement = "Create an API key."; }, "INVALID_MESSAGE"},
         {"at the console", [](m x) { x.statement = "Sign in to the operator console of Credence."; },
          "INVALID_MESSAGE"},
         {"for nothing in particular", [](m x) { x.statement.reset(); }, "INVALID_MESSAGE"},
         {"another signer", [](m x) { x.account = demo_wallet(4).account(); }, "INVALID_SIGNATURE"},
       }) {
    auto says = login_message(3);
    spoil(says);
    const auto answer = client.post("/api/v2/auth/login", login_body(says, demo_wallet(3)));
    EXPECT_EQ(answer.status, 400) << value << answer.body;
    EXPECT_EQ(json_text(answer.body, "/code"), code) << value;
    EXPECT_TRUE(answer.cookies.empty()) << value;
  }
  for (const auto& body : {"", "{}", R"({"message":"a"})", R"({"signature":"a"})", R"({"message":1,"signature":2})"})
    EXPECT_EQ(json_text(client.post("/api/v2/auth/login", body).body, "/code"), "BAD_REQUEST") << body;
  const auth::wallet stranger{"a wallet without a profile"};
  auto says = login_message(3);
  says.account = stranger.account();
  EXPECT_EQ(client.post("/api/v2/auth/login", login_body(says, stranger)).status, 403);
  browser elsewhere{shared(), "https://evil.example"};
  EXPECT_EQ(elsewhere.post("/api/v2/auth/login", login_body(login_message(3), demo_wallet(3))).status, 403);
}

// -- using ----------------------------------------------------------------------------------

TEST(Sessions, ACookieReadsAndChangesOnlyForAllowedPages) {
  auto mine = signed_in(4);
  const std::string tip = R"({"receiverUserkey":"profileId:5","amount":1})";
  EXPECT_EQ(reads(mine), 200);
  EXPECT_EQ(mine.post("/api/v2/xp/tip", tip).status, 200);
  for (const auto* origin : {"https://evil.example", "null", "", "http://app.credence.test",
                             "https://app.credence.test:8443", "https://app.credence.test.evil.example"}) {
    mine.from(origin);
    const auto answer = mine.post("/api/v2/xp/tip", tip);
    EXPECT_EQ(code(answer), "403 FORBIDDEN") << origin << answer.body;
    EXPECT_EQ(mine.send("DELETE", "/api/v2/api-keys/00000000-0000-4000-8000-000000000000").status, 403) << origin;
    EXPECT_EQ(mine.get(balance_path).headers.contains("access-control-allow-origin"), false)
      << origin << ": its page must not see what the browser got";
  }
  mine.from(page);
  EXPECT_EQ(mine.get("/api/v2/api-keys").status, 200);
  EXPECT_EQ(mine.send("DELETE", "/api/v2/api-keys/00000000-0000-4000-8000-000000000000").status, 404);
}

TEST(Sessions, AForgedCookieIsNobody) {
  auto mine = signed_in(4);
  const auto good = mine.cookies[access];
  for (const auto& bad : {good.substr(1), good + "A", mine.cookies[refresh], shared().token(4), std::string{"x"}}) {
    mine.cookies[access] = bad;
    EXPECT_EQ(reads(mine), 401) << bad.substr(0, 40);
    EXPECT_EQ(mine.get("/api/v2/projects/1/voters").status, 200) << "what is open stays open";
  }
  mine.cookies[access] = good;
  EXPECT_EQ(reads(mine), 200);
}

// -- refreshing -----------------------------------------------------------------------------

TEST(Sessions, ARefreshChangesBothTokens) {
  auto mine = signed_in(5);
  const auto before = mine.cookies;
  ok(mine.post("/api/v2/auth/refresh"));
  EXPECT_NE(mine.cookies[refresh], before.at(refresh));
  EXPECT_EQ(reads(mine), 200);
  EXPECT_EQ(mine.post("/api/v2/auth/refresh").status, 200) << "and again";
  for (const auto* origin : {"https://evil.example", ""}) {
    mine.from(origin);
    EXPECT_EQ(mine.post("/api/v2/auth/refresh").status, 403) << origin;
  }
}

TEST(Sessions, TwoTabsThatRefreshAtOnceBothGoOn) {
  auto mine = signed_in(5);
  auto tab = browser{};
  tab.cookies = mine.cookies;
  ASSERT_EQ(mine.post("/api/v2/auth/refresh").status, 200);
  const auto answer = ok(tab.post("/api/v2/auth/refresh"));
  EXPECT_EQ(answer.cookies.size(), 1u) << "the refresh token is the first one's";
  EXPECT_EQ(reads(tab), 200);
  EXPECT_EQ(mine.post("/api/v2/auth/refresh").status, 200);
}

TEST(Sessions, AReplacedRefreshTokenThatComesBackEndsTheSession) {
  service server;
  prepare(server);
  auto mine = signed_in(6, server);
  const auto taken = mine.cookies;
  ASSERT_EQ(mine.post("/api/v2/auth/refresh").status, 200);
  server.kill_hard();
  server.database().sql("UPDATE sessions SET rotated_at = rotated_at - interval '10 s'"); // the leeway has passed
  server.start(flags);
  browser owner{server};
  owner.cookies = mine.cookies;
  EXPECT_EQ(reads(owner), 200) << "sessions outlive the process";
  browser thief{server};
  thief.cookies = taken;
  EXPECT_EQ(thief.post("/api/v2/auth/refresh").status, 401);
  EXPECT_TRUE(thief.cookies.empty()) << "and it is told to forget them";
  EXPECT_EQ(reads(owner), 401) << "nobody can tell who of the two is the owner";
  EXPECT_EQ(owner.post("/api/v2/auth/refresh").status, 401);
  EXPECT_TRUE(server.logs("refresh_token_reused")) << server.log();
}

TEST(Sessions, WithoutARefreshTokenThereIsNothingToRefresh) {
  browser mine;
  EXPECT_EQ(mine.post("/api/v2/auth/refresh").status, 401);
  auto other = signed_in(5);
  other.cookies[refresh] = other.cookies[access];
  EXPECT_EQ(other.post("/api/v2/auth/refresh").status, 401) << "an access cookie is none";
}

// -- ending ---------------------------------------------------------------------------------

TEST(Sessions, ALogoutEndsItEverywhereAtOnce) {
  auto mine = signed_in(7);
  auto copy = browser{};
  copy.cookies = mine.cookies;
  ASSERT_EQ(reads(copy), 200);
  mine.from("https://evil.example");
  EXPECT_EQ(mine.post("/api/v2/auth/logout").status, 403);
  mine.from(page);
  const auto answer = ok(mine.post("/api/v2/auth/logout"));
  EXPECT_EQ(answer.body, R"({"ok":true})");
  EXPECT_TRUE(mine.cookies.empty());
  EXPECT_EQ(reads(copy), 401);
  EXPECT_EQ(copy.post("/api/v2/auth/refresh").status, 401);
  EXPECT_EQ(browser{}.post("/api/v2/auth/logout").status, 200) << "who has no session has none to end";
}

// What a session and the tokens told with it come to, and when.

constexpr const char* balance = "/api/v2/projects/votes/balance";
constexpr const char* sessions = "/api/v2/auth/sessions";

struct SessionEnds : testing::Test {
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
  const auto seen = ok(server.client().send("GET", sessions, by_bearer(mine.access_token)));
  EXPECT_EQ(json_text(seen.body, "/0/address"), json_text(seen.body, "/1/address"));
  EXPECT_GT(json_text(seen.body, "/0/expiresAt"), iso_text(system_now() + 29 * 24h));
  EXPECT_FALSE(has(seen.body, mine.refresh_cookie));
  const auto own = id_of(mine);
  const auto others = id_of(other);
  ASSERT_NE(own, others);

  const auto unknown =
    remove(std::string{sessions} + "/6b1f0c5e-0000-4000-8000-000000000000", by_bearer(mine.access_token));
  EXPECT_EQ(code(unknown), "404 SESSION_NOT_FOUND");
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
