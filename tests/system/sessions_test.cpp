#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/partner_page.hpp"
#include "tests/system/service.hpp"
#include "tests/system/signing.hpp"

#include <gtest/gtest.h>

#include <map>
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
class browser : public partner_page {
public:
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
  const auto answer = mine.exchange(fresh_token(shared(), 2));
  ASSERT_EQ(answer.status, 200) << answer.body;
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
    EXPECT_NE(set.find("; Path=" + path + ";"), std::string::npos) << set;
    EXPECT_NE(set.find("; Max-Age=" + age + ";"), std::string::npos) << set;
    EXPECT_NE(set.find("; HttpOnly"), std::string::npos) << set;
    EXPECT_NE(set.find("; Secure"), std::string::npos) << set;
    EXPECT_NE(set.find("; SameSite=Lax"), std::string::npos) << set;
    EXPECT_EQ(set.find("Domain"), std::string::npos) << set;
  }
  EXPECT_EQ(reads(mine), 200);
  EXPECT_EQ(shared().log().find(mine.cookies[refresh]), std::string::npos);
  EXPECT_EQ(shared().database().sql("SELECT * FROM sessions").find(mine.cookies[refresh]), std::string::npos);
}

TEST(Sessions, OnlyAnAccessTokenIsTraded) {
  auto client = shared().client();
  const auto made = client.post("/api/v2/api-keys", key_order{2}.body());
  ASSERT_EQ(made.status, 200) << made.body;
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
  const auto answer = mine.post("/api/v2/auth/login", body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(json_number(answer.body, "/profileId"), 3);
  EXPECT_EQ(answer.headers.at("cache-control"), "no-store");
  EXPECT_GT(json_text(answer.body, "/expiresAt"), iso_text(system_now() + 59min));
  EXPECT_EQ(reads(mine), 200);
  EXPECT_EQ(shared().client().get(balance_path, json_text(answer.body, "/accessToken")).status, 200);
  const auto again = mine.post("/api/v2/auth/login", body);
  EXPECT_EQ(again.status, 400);
  EXPECT_EQ(json_text(again.body, "/code"), "NONCE_REUSED");
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
    EXPECT_EQ(answer.status, 403) << origin << answer.body;
    EXPECT_EQ(json_text(answer.body, "/code"), "FORBIDDEN") << origin;
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
  const auto answer = mine.post("/api/v2/auth/refresh");
  ASSERT_EQ(answer.status, 200) << answer.body;
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
  const auto answer = tab.post("/api/v2/auth/refresh");
  EXPECT_EQ(answer.status, 200) << answer.body;
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
  const auto stolen = thief.post("/api/v2/auth/refresh");
  EXPECT_EQ(stolen.status, 401) << stolen.body;
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
  const auto answer = mine.post("/api/v2/auth/logout");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body, R"({"ok":true})");
  EXPECT_TRUE(mine.cookies.empty());
  EXPECT_EQ(reads(copy), 401);
  EXPECT_EQ(copy.post("/api/v2/auth/refresh").status, 401);
  EXPECT_EQ(browser{}.post("/api/v2/auth/logout").status, 200) << "who has no session has none to end";
}

} // namespace
} // namespace credence::test
