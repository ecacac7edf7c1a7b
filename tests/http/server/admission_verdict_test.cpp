#include "http/server/admission.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace credence::http {
namespace {

void nothing(call&) {}

constexpr route open_read{method::get, "/open", access::open, scope::read, nothing};
constexpr route own{method::get, "/own", access::bearer, scope::read, nothing};
constexpr route of_admins{method::post, "/admin", access::admin, scope::none, nothing};

/// Knows `seven`; `unmet` after its owner has been asked, and `stranger` once it is found.
class some_tokens final : public authenticator {
public:
  outcome<found_caller> find(credential_kind, std::string_view token) override {
    if (token == "seven")
      return found_caller{principal{profile_id{7}}};
    if (token == "unmet" && !met) {
      found_caller out{principal{profile_id{8}}};
      out.to_check.emplace();
      out.to_check->profile = profile_id{8};
      return out;
    }
    if (token == "unmet")
      return found_caller{principal{profile_id{8}}};
    if (token == "stranger") {
      found_caller out;
      out.unknown.emplace();
      return out;
    }
    return refusal{refusal_code::unauthenticated, "it is not good"};
  }
  void learn(credential_kind, std::string_view, std::shared_ptr<profile::credential_slot>) override { met = true; }
  std::optional<principal> learn(std::string_view, const people::found_person& found) override {
    return found.profile && !found.unsettled ? std::optional{principal{*found.profile}} : std::nullopt;
  }
  bool met = false;
};

class AdmissionVerdictTest : public testing::Test {
protected:
  AdmissionVerdictTest() { how.rate_limits = false; }

  admission::verdict verdict_on(const route& to, std::string_view token) {
    authorization = token.empty() ? "" : "Bearer " + std::string{token};
    head.authorization = authorization;
    head.authorization_count = token.empty() ? 0 : 1;
    head.service_client = "bot";
    gate.begin(steady_clock::now(), "id");
    EXPECT_FALSE(gate.count(bucket::read));
    return gate.admit(to, false);
  }
  static refusal_code why(const admission::verdict& of) {
    return std::holds_alternative<admission::refused>(of) ? std::get<admission::refused>(of).why.code
                                                          : refusal_code::not_found;
  }
  static bool admits(const admission::verdict& of) { return std::holds_alternative<admission::admitted>(of); }

  settings::http how;
  rate_limiter limits{how};
  address_ranges proxies{how.trusted_proxies};
  some_tokens tokens;
  line_bound lines{"left_out"};
  request_head head;
  std::string authorization;
  admission gate{{limits, proxies, "token", &tokens, lines}, head, {}};
};

TEST_F(AdmissionVerdictTest, LetsInWhoIsKnownAndWhereNobodyNeedsToBe) {
  EXPECT_TRUE(admits(verdict_on(own, "seven")));
  EXPECT_EQ(gate.caller()->profile, profile_id{7});
  EXPECT_TRUE(admits(verdict_on(open_read, "")));
  EXPECT_FALSE(gate.caller()) << "the last request's is forgotten";
  EXPECT_EQ(why(verdict_on(own, "")), refusal_code::unauthenticated);
  EXPECT_EQ(why(verdict_on(own, "wrong")), refusal_code::unauthenticated);
  EXPECT_TRUE(admits(verdict_on(open_read, "wrong"))) << "it makes no difference there";
  EXPECT_TRUE(admits(verdict_on(of_admins, "seven")));
  EXPECT_TRUE(gate.forbidden()) << "who they are is known, and that they may not";
}

TEST_F(AdmissionVerdictTest, AsksTheOwnerOfACredentialAndGoesByTheAnswer) {
  const auto question = verdict_on(own, "unmet");
  ASSERT_TRUE(std::holds_alternative<profile::check_credential>(question));
  EXPECT_EQ(std::get<profile::check_credential>(question).profile, profile_id{8});
  EXPECT_EQ(why(gate.owner_denied({refusal_code::unauthenticated, "revoked"})), refusal_code::unauthenticated);
  EXPECT_FALSE(gate.caller());

  verdict_on(own, "unmet");
  EXPECT_TRUE(admits(gate.owner_said(nullptr)));
  EXPECT_EQ(gate.caller()->profile, profile_id{8});
  EXPECT_TRUE(admits(verdict_on(own, "unmet"))) << "known by now";
}

TEST_F(AdmissionVerdictTest, LooksUpWhomAProvidersTokenNames) {
  ASSERT_TRUE(std::holds_alternative<people::find_people>(verdict_on(own, "stranger")));
  people::found_person found;
  EXPECT_EQ(why(gate.profile_found(found)), refusal_code::forbidden) << "there is no profile";
  verdict_on(own, "stranger");
  found.profile = profile_id{9};
  found.unsettled = 77;
  EXPECT_EQ(why(gate.profile_found(found)), refusal_code::not_yet_settled);
  EXPECT_FALSE(gate.caller());
  verdict_on(own, "stranger");
  found.unsettled.reset();
  EXPECT_TRUE(admits(gate.profile_found(found)));
  EXPECT_EQ(gate.caller()->profile, profile_id{9});
}

TEST_F(AdmissionVerdictTest, TakesSharesByProfileAndElseByAddress) {
  ASSERT_TRUE(admits(verdict_on(own, "seven")));
  const auto profile = gate.asks_as();
  EXPECT_EQ(profile.rank, asker_rank::known);
  verdict_on(open_read, "");
  EXPECT_EQ(gate.asks_as().rank, asker_rank::anonymous);
  const auto from = [&](const char* address) {
    return admission{{limits, proxies, "token", &tokens, lines}, head, parse_address(address).value()}.asks_as();
  };
  EXPECT_EQ(from("2001:db8:0:1::1"), from("2001:db8:0:1:ffff::2")) << "one household";
  EXPECT_NE(from("2001:db8:0:1::1"), from("2001:db8:0:2::1"));
  EXPECT_NE(from("192.0.2.1"), from("192.0.2.2"));
}

TEST(AdmissionCharges, WhatTheDatabaseDidIsTakenFromTheCallersBucket) {
  settings::http how;
  how.rate_read = {1, std::chrono::hours{1}, 20};
  how.rate_anonymous = how.rate_read;
  how.rate_address = {1, std::chrono::hours{1}, 30};
  rate_limiter limits{how};
  const address_ranges proxies{how.trusted_proxies};
  line_bound lines{"left_out"};
  request_head head;
  admission gate{{limits, proxies, "token", nullptr, lines}, head, {}};
  const auto standing_after = [&](std::chrono::milliseconds took) {
    gate.begin(steady_clock::now(), "id");
    EXPECT_FALSE(gate.count(bucket::read));
    gate.charge_database(took);
    std::string out;
    gate.append_standing(out);
    return out.substr(out.find("RateLimit: "), out.find(";t=") - out.find("RateLimit: "));
  };
  head.service_client = "bot";
  EXPECT_EQ(standing_after(std::chrono::milliseconds{3}), R"(RateLimit: "read";r=19)");
  EXPECT_EQ(standing_after(5 * database_time_per_request), R"(RateLimit: "read";r=13)");
  head.service_client = {};
  EXPECT_EQ(standing_after(50 * database_time_per_request), R"(RateLimit: "anonymous";r=19)")
    << "the address pays, not everybody";
  gate.begin(steady_clock::now(), "id");
  EXPECT_TRUE(gate.count(bucket::read)) << "and has nothing left";
}

} // namespace
} // namespace credence::http
