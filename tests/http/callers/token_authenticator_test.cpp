#include "http/callers/token_authenticator.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace credence::http {
namespace {

using namespace std::chrono_literals;

constexpr timestamp noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + 12h;
constexpr profile_id me{7};
const std::string page = "https://partner.example";
const auth::token_rules signed_by{secret{"0123456789abcdef0123456789abcdef"}, "credence", "credence-api", 30s};

timestamp the_time = noon;
timestamp told_time() { return the_time; }

/// A token of `kind` for a session, which ends 15 minutes after noon.
std::string token_of_kind(auth::token_kind kind) {
  auth::token_claims claims;
  claims.kind = kind;
  claims.profile = me;
  claims.id = "a session";
  claims.issued_at = std::chrono::floor<std::chrono::seconds>(noon);
  claims.expires_at = claims.issued_at + 15min;
  return auth::mint_token(signed_by, claims);
}

/// A session of 30 days.
std::shared_ptr<profile::credential_slot> session_for(const std::string& origin) {
  return std::make_shared<profile::credential_slot>(profile::credential_kind::session, "a session", me, noon + 720h,
                                                    profile::key_bounds{}, std::nullopt, origin);
}

class TokenAuthenticator : public testing::Test {
protected:
  TokenAuthenticator() { the_time = noon; }

  token_authenticator callers{
    {signed_by, "crd_", 100, std::make_shared<const std::set<profile_id>>(), nullptr, &told_time}};
};

TEST_F(TokenAuthenticator, ATokenOfASessionEndsByItselfThoughItIsKnownAndTheSessionGoesOn) {
  const auto own = token_of_kind(auth::token_kind::session), partner = token_of_kind(auth::token_kind::partner);
  callers.learn(credential_kind::session, own, session_for({}));
  callers.learn(credential_kind::partner, partner, session_for(page));
  for (const auto& [by, token] :
       {std::pair{credential_kind::session, own}, std::pair{credential_kind::partner, partner}}) {
    the_time = noon + 15min + 29s; // clocks may differ by 30 s
    EXPECT_TRUE(callers.find(by, token));
    the_time = noon + 15min + 30s;
    const auto late = callers.find(by, token);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.why().code, refusal_code::unauthenticated);
    EXPECT_FALSE(callers.find(by, token)) << "nor from its signature";
  }
}

TEST_F(TokenAuthenticator, AnOwnerWhoSaysThatTheSessionHoldsProlongsNoToken) {
  const auto token = token_of_kind(auth::token_kind::partner);
  callers.learn(credential_kind::partner, token, session_for(page));
  the_time = noon + 1h;
  callers.learn(credential_kind::partner, token, session_for(page)); // the answer to a question that was asked in time
  EXPECT_FALSE(callers.find(credential_kind::partner, token));
}

TEST_F(TokenAuthenticator, ASessionOfAPartnerIsFoundByATokenOfAPartnerAlone) {
  const auto token = token_of_kind(auth::token_kind::partner);
  callers.learn(credential_kind::partner, token, session_for(page));
  EXPECT_TRUE(callers.find(credential_kind::partner, token));
  EXPECT_FALSE(callers.find(credential_kind::session, token));
  EXPECT_FALSE(callers.find(credential_kind::access_token, token));
}

} // namespace
} // namespace credence::http
