#include "tests/auth/provider_signer.hpp"
#include "tests/http/outside/key_server.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

namespace credence::test {
namespace {

// Demo profile 1 and 2: accounts of the well-known development wallets.
const std::string first_wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const std::string second_wallet = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const std::string nobodys_wallet = "0x00000000000000000000000000000000000000AA";
const std::string balance = "/api/v2/projects/votes/balance?projectId=1";

/// The service together with its identity provider.
struct with_provider {
  with_provider() {
    own.start({"--admin", "1", "--http-allowed-origins", "https://app.example", "--auth-provider-issuer",
               "https://id.example", "--auth-provider-audience", "app", "--auth-provider-jwks", published.url(),
               "--auth-provider-userkey", "address:{wallet_address}"});
  }
  service own;
  const provider_signer key{"key-1"};
  key_server published{key.set()};
};

with_provider& shared() {
  static with_provider one;
  return one;
}

std::string claims(const std::string& wallet, std::int64_t seconds_left = 3600) {
  const auto now =
    std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return R"({"iss":"https://id.example","aud":["app"],"sub":"did:1","wallet_address":")" + wallet + R"(","iat":)"
         + std::to_string(now) + R"(,"exp":)" + std::to_string(now + seconds_left) + "}";
}
std::string token_of(const std::string& wallet) { return shared().key.token(claims(wallet)); }

http_response get(const std::string& target, const std::string& token) {
  return shared().own.client().get(target, token);
}

TEST(IdentityProvider, ItsTokenSpeaksForTheProfileOfItsClaim) {
  auto client = shared().own.client();
  const auto token = token_of(second_wallet);
  for (int times = 0; times < 2; ++times) { // looked up, then remembered
    const auto answer = ok(client.get(balance, token));
    EXPECT_EQ(answer.body, client.get(balance, shared().own.token(2)).body);
    EXPECT_EQ(answer.headers.at("cache-control"), "no-store");
  }
  const auto cast = client.post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", token_of(second_wallet));
  ASSERT_TRUE(cast.status == 200 || json_text(cast.body, "/code") == "ALREADY_VOTED") << cast.body;
  EXPECT_TRUE(has(client.get(balance, shared().own.token(2)).body, R"("canVote":false)"));
}

TEST(IdentityProvider, ItsTokenIsTradedForASessionsCookies) {
  auto client = shared().own.client();
  const auto came =
    ok(client.send("POST", "/api/v2/auth/exchange", {{"Authorization", "Bearer " + token_of(second_wallet)}}));
  const auto& cookie = came.headers.at("set-cookie");
  EXPECT_TRUE(cookie.find("service-access-token=") != std::string::npos
              || cookie.find("service-refresh-token=") != std::string::npos)
    << cookie;
  EXPECT_EQ(
    client.send("POST", "/api/v2/auth/exchange", {{"Authorization", "Bearer " + token_of(nobodys_wallet)}}).status,
    403);
}

TEST(IdentityProvider, WhoHasNoProfileMayReadWhatIsOpen) {
  for (int times = 0; times < 2; ++times) {
    const auto refused = get(balance, token_of(nobodys_wallet));
    EXPECT_EQ(code(refused), "403 FORBIDDEN") << refused.body;
    EXPECT_TRUE(has(json_text(refused.body, "/message"), "no profile"));
    EXPECT_EQ(get("/api/v2/projects/1/voters", token_of(nobodys_wallet)).status, 200);
  }
  const auto same = token_of(nobodys_wallet);
  EXPECT_EQ(get(balance, same).status, 403);
  EXPECT_EQ(get(balance, same).status, 403) << "remembered";
  EXPECT_EQ(get("/api/v2/internal/listings", same).status, 200);
}

TEST(IdentityProvider, AdminsAreThoseOfTheSettings) {
  auto client = shared().own.client();
  EXPECT_EQ(client.post("/api/v2/projects/votes/reallocate", "", token_of(second_wallet)).status, 403);
  auto as_admin = claims(second_wallet);
  as_admin.insert(1, R"("admin":true,)");
  EXPECT_EQ(client.post("/api/v2/projects/votes/reallocate", "", shared().key.token(as_admin)).status, 403);
  EXPECT_EQ(client.post("/api/v2/projects/votes/reallocate", "", token_of(first_wallet)).status, 200);
  const auto now =
    std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  auto old = claims(first_wallet), undated = old;
  const auto at = old.find(std::to_string(now / 1000));
  old.replace(at, 10, std::to_string(now - 24 * 3600 - 1));
  const auto member = undated.find(R"("iat":)");
  undated.erase(member, undated.find("\"exp\"") - member);
  for (const auto& each : {old, undated}) {
    const auto token = shared().key.token(each);
    EXPECT_EQ(get(balance, token).status, 200) << "it holds";
    EXPECT_EQ(client.post("/api/v2/projects/votes/reallocate", "", token).status, 403)
      << "an admin's lives a day: " << each;
  }
}

TEST(IdentityProvider, WhatDoesNotHoldIsRefusedLikeAnyToken) {
  const provider_signer stranger{"key-1"};
  const auto good = token_of(second_wallet);
  const auto& key = shared().key;
  const auto ours = get(balance, "x.y.z").body;
  for (const auto& forged :
       {stranger.token(claims(second_wallet)), good + "A", good.substr(0, good.size() - 2),
        key.token(claims(second_wallet, -60)), key.token(claims("ada1")), key.token("{}"),
        key.token(R"({"alg":"none","kid":"key-1"})", claims(second_wallet)),
        key.token(R"({"alg":"HS256","typ":"JWT"})", claims(second_wallet)),
        key.token(R"({"alg":"ES256","kid":"key-1","jku":"https://evil.example"})", claims(second_wallet))}) {
    const auto answer = get(balance, forged);
    EXPECT_EQ(answer.status, 401) << forged;
    EXPECT_EQ(answer.body, ours) << "it does not say what was wrong";
    EXPECT_EQ(get("/api/v2/internal/listings", forged).status, 401);
  }
}

TEST(IdentityProvider, ATokenWithANewKeyBringsTheKeysInAgain) {
  const provider_signer next{"key-2"};
  const auto token = next.token(claims(second_wallet));
  shared().published.answer(provider_signer::set_of({shared().key.jwk(), next.jwk()}));
  http_response answer;
  await("the new key", [&] {
    return (answer = get(balance, token)).status != 401;
  }); // another test may have asked for a key a moment ago
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(get(balance, token_of(second_wallet)).status, 200) << "the old key is still there";
  http_client operators{shared().own.operator_port()};
  const auto metrics = operators.get("/metrics").body;
  for (const auto* name : {"credence_provider_keys 2", "credence_provider_keys_age_seconds",
                           "credence_provider_unknown_keys_total", "credence_provider_key_failures_total 0"})
    EXPECT_TRUE(has(metrics, name)) << name;
  EXPECT_FALSE(has(shared().own.log(), token.substr(0, 40))) << "no token in the log";
}

TEST(IdentityProvider, ThatIsAwayKeepsNobodyElseOut) {
  service alone;
  alone.start({"--auth-provider-issuer", "https://id.example", "--auth-provider-audience", "app",
               "--auth-provider-jwks", "http://127.0.0.1:1/keys", "--auth-provider-userkey",
               "address:{wallet_address}"});
  EXPECT_EQ(alone.client().get(balance, alone.token(2)).status, 200);
  EXPECT_EQ(alone.client().get(balance, provider_signer{"key-1"}.token(claims(second_wallet))).status, 401);
  EXPECT_TRUE(alone.logs("provider_keys_not_read")) << alone.log();
  EXPECT_TRUE(ended(alone.command({"config", "check", "--auth-provider-issuer", "https://id.example"}), 2,
                    "auth.provider.userkey is empty"));
  EXPECT_EQ(alone.terminate(), 0);
}

} // namespace
} // namespace credence::test
