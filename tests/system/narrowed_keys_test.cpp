#include "http/routes.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/service.hpp"
#include "tests/system/signing.hpp"

// API keys that may do less than their profile.

namespace credence::test {
namespace {

const std::vector<std::string> flags{"--public-url", signing_origin, "--http-trusted-proxies", "127.0.0.1"};
constexpr const char* balance = "/api/v2/projects/votes/balance";
constexpr const char* keys = "/api/v2/api-keys";
const std::string tip = R"({"receiverUserkey":"profileId:5","amount":1})";
const std::string vote = R"({"voteType":"BULLISH"})";

service& shared() {
  return shared_service([](service& one) { one.start(flags); });
}

http_response ordered(const json_members& more) {
  key_order order{2};
  for (const auto& [name, value] : more)
    order.members[name] = value;
  return shared().client().post(keys, order.body());
}

std::string made(const json_members& more) {
  const auto answer = ok(ordered(more));
  return json_text(answer.body, "/token");
}

http_response ask(const std::string& key, std::string_view method, std::string_view target,
                  std::string_view body = {}) {
  auto client = shared().client();
  return with_key(client, method, target, key, body);
}

/// Refused for want of a scope, and says so.
void expect_out_of_scope(const http_response& answer) {
  EXPECT_EQ(code(answer), "403 INSUFFICIENT_SCOPE") << answer.body;
}

TEST(NarrowedKeys, MayDoWhatTheirScopesSayAndNothingElse) {
  const auto reads = made({{"scopes", R"(["read"])"}});
  const auto tips = made({{"scopes", R"(["tip","keys"])"}});
  const auto all = made({});
  EXPECT_EQ(ask(reads, "GET", balance).status, 200);
  expect_out_of_scope(ask(reads, "POST", "/api/v2/xp/tip", tip));
  expect_out_of_scope(ask(reads, "POST", "/api/v2/projects/1/votes", vote));
  expect_out_of_scope(ask(reads, "POST", "/api/v2/slashes/1/votes", R"({"vote":"slash"})"));
  expect_out_of_scope(ask(reads, "POST", "/api/v2/markets", "{}"));
  expect_out_of_scope(ask(reads, "POST", "/api/v2/markets/2/trades", "{}"));
  expect_out_of_scope(ask(reads, "GET", keys));
  EXPECT_EQ(ask(tips, "POST", "/api/v2/xp/tip", tip).status, 200);
  EXPECT_EQ(ask(tips, "GET", keys).status, 200);
  expect_out_of_scope(ask(tips, "GET", balance));
  expect_out_of_scope(ask(tips, "POST", "/api/v2/projects/1/votes", vote));
  for (const auto* target : {balance, keys})
    EXPECT_EQ(ask(all, "GET", target).status, 200) << "one that was not narrowed";
  EXPECT_EQ(ask(all, "POST", "/api/v2/xp/tip", tip).status, 200);
}

TEST(NarrowedKeys, AreUsedFromTheirNetworksAlone) {
  const auto key = made({{"allowedNetworks", R"(["203.0.113.0/24","2001:db8::7"])"}});
  const auto from = [&](const std::string& address) {
    return shared().client().send("GET", balance, {{"X-Service-Api-Key", key}, {"X-Forwarded-For", address}});
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(from("203.0.113.9").status, 200);
    EXPECT_EQ(from("2001:db8::7").status, 200);
    for (const auto* elsewhere : {"203.0.114.9", "2001:db8::8", "127.0.0.1"}) {
      const auto answer = from(elsewhere);
      EXPECT_EQ(code(answer), "403 NETWORK_NOT_ALLOWED") << elsewhere << answer.body;
    }
  }
}

TEST(NarrowedKeys, AreShownAsTheyAreAndStaySoAfterARestart) {
  const auto narrow = ok(ordered(
    {{"scopes", R"(["vote","read","vote"])"}, {"allowedNetworks", R"(["127.0.0.0/8"])"}, {"name", "\"narrow\""}}));
  EXPECT_TRUE(has(narrow.body, R"("scopes":["read","vote"],"allowedNetworks":["127.0.0.0/8"])"));
  const auto key = json_text(narrow.body, "/token");
  const auto manages = made({{"scopes", R"(["keys"])"}});
  shared().kill_hard();
  shared().start(flags);
  EXPECT_EQ(ask(key, "GET", balance).status, 200);
  expect_out_of_scope(ask(key, "POST", "/api/v2/xp/tip", tip));
  EXPECT_TRUE(has(ask(manages, "GET", keys).body, R"("scopes":["read","vote"],"allowedNetworks":["127.0.0.0/8"])"));
  EXPECT_EQ(ask(key, "DELETE", std::string{keys} + "/" + json_text(narrow.body, "/id")).status, 403);
  EXPECT_EQ(ask(manages, "DELETE", std::string{keys} + "/" + json_text(narrow.body, "/id")).status, 200);
  EXPECT_EQ(ask(key, "GET", balance).status, 401);
}

TEST(NarrowedKeys, AreRefusedWhenNobodyCouldTellWhatTheyMay) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
         {"scopes", "[]"},
         {"scopes", R"("read")"},
         {"scopes", R"(["everything"])"},
         {"scopes", R"([""])"},
         {"scopes", "[1]"},
         {"scopes", R"(["read","vote","tip","trade","keys","record","read"])"},
         {"allowedNetworks", "[]"},
         {"allowedNetworks", R"(["here"])"},
         {"allowedNetworks", R"(["10.0.0.0/33"])"},
         {"allowedNetworks", R"(["10.0.0.0/8,::/0"])"},
         {"allowedNetworks", "{}"}}) {
    const auto answer = ordered({{name, value}});
    EXPECT_EQ(code(answer), "400 BAD_REQUEST") << name << value << answer.body;
  }
}

TEST(NarrowedKeys, AMessageThatSignsInMakesNoKey) {
  key_order order{2};
  order.says.nonce = json_text(shared().client().get("/api/v2/auth/nonce").body, "/nonce");
  for (const auto* statement : {"Create an API key.", "Sign in."}) {
    order.says.statement = statement;
    const auto answer = shared().client().post(keys, order.body());
    EXPECT_EQ(code(answer), "400 INVALID_MESSAGE") << answer.body;
  }
  EXPECT_EQ(shared().client().post("/api/v2/auth/login", login_body(order.says, demo_wallet(2))).status, 200)
    << "the nonce still signs in";
}

/// A new route has to say which scope it needs.
TEST(NarrowedKeys, EveryRouteForCallersNeedsAScope) {
  for (const auto& to : http::routes()) {
    const bool sessions =
      to.path.starts_with("/api/v2/auth/") || to.path == "/api/v2/wallets/managed/partners/sign-in"; // keys make none
    EXPECT_EQ(to.who == http::access::bearer && !sessions, to.may != scope::none && to.who == http::access::bearer)
      << to.path;
    if (to.who == http::access::open && to.verb == http::method::get && !sessions && to.path != "/api/v2/healthcheck"
        && !to.any_media && to.path != "/openapi.json") {
      EXPECT_EQ(to.may, scope::read) << to.path;
    }
  }
}

} // namespace
} // namespace credence::test
