#include "http/server/admission.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace credence::http {
namespace {

void nothing(call&) {}
void nothing_again(call&, const idempotency::found_record&) {}

const std::string partner = "https://partner.example";
const std::string other = "https://other.example";

route of_partners(access who, method verb = method::post) {
  route out{verb, "/act", who, scope::none, nothing};
  out.replay = verb == method::post && who != access::open ? nothing_again : nullptr;
  out.partners = partner_use::act;
  return out;
}

/// Knows `mine`, a session for pages of `partner`, and `ours`, a session of our own pages.
class two_sessions final : public authenticator {
public:
  outcome<found_caller> find(credential_kind by, std::string_view token) override {
    const bool good = ((by == credential_kind::partner || strays) && token == "mine")
                      || (by == credential_kind::session && token == "ours");
    if (!good)
      return refusal{refusal_code::unauthenticated, "it is not good"};
    return found_caller{principal{profile_id{7}, false, by, token == "mine" ? of_partner : of_ours}};
  }
  bool strays = false; // takes a partner's session for one of ours
  const std::shared_ptr<profile::credential_slot> of_partner =
    std::make_shared<profile::credential_slot>(profile::credential_kind::session, "1", profile_id{7}, timestamp::max(),
                                               profile::key_bounds{}, std::nullopt, partner);
  const std::shared_ptr<profile::credential_slot> of_ours =
    std::make_shared<profile::credential_slot>(profile::credential_kind::session, "2", profile_id{7}, timestamp::max());
};

class AdmissionOfPartners : public testing::Test {
protected:
  AdmissionOfPartners() {
    how.rate_limits = false;
    rules.origins = {partner, other};
    head.service_client = "page@1";
    come_from(partner);
  }

  void come_from(std::string_view origin) {
    head.origin = origin;
    head.origin_count = origin.empty() ? 0 : 1;
  }
  std::string cookie_of(const std::string& origin) { return partner_cookie_name(rules, partner_access_cookie, origin); }

  /// Nothing where the handler may run.
  std::optional<refusal_code> refused(const route& to, bool page_allowed = false) {
    gate.begin(steady_clock::now(), "id");
    gate.leads_to(to, page_allowed);
    EXPECT_FALSE(gate.count(bucket::wallet));
    const auto verdict = gate.admit(to, page_allowed);
    if (const auto* no = std::get_if<admission::refused>(&verdict))
      return no->why.code;
    const auto why = gate.forbidden();
    return why ? std::optional{why->code} : std::nullopt;
  }

  settings::http how;
  rate_limiter limits{how};
  address_ranges proxies{how.trusted_proxies};
  two_sessions sessions;
  line_bound lines{"left_out"};
  partner_rules rules;
  request_head head;
  admission gate{{limits, proxies, "own-cookie", &sessions, lines, &rules}, head, {}};
  const route acts = of_partners(access::owner);
};

TEST_F(AdmissionOfPartners, LetsInTheirSessionByCookieAndByToken) {
  head.cookie = cookie_of(partner) + "=mine";
  EXPECT_EQ(refused(acts), std::nullopt);
  EXPECT_EQ(gate.caller()->profile, profile_id{7});
  EXPECT_EQ(gate.origin()->credential, "partner https://partner.example session 1")
    << "by this the user finds what it did";
  head.cookie.clear();
  head.authorization = "Bearer mine";
  head.authorization_count = 1;
  EXPECT_EQ(refused(acts), std::nullopt);
}

TEST_F(AdmissionOfPartners, RefusesWhoeverIsNoPageOfAPartner) {
  head.cookie = cookie_of(partner) + "=mine";
  for (const auto* origin : {"", "null", "https://evil.example", "http://partner.example"}) {
    come_from(origin);
    EXPECT_EQ(refused(acts), refusal_code::forbidden) << origin;
    EXPECT_EQ(refused(of_partners(access::open, method::get)), refusal_code::forbidden) << origin;
  }
  come_from(partner);
  head.origin_count = 2;
  EXPECT_EQ(refused(acts), refusal_code::forbidden);
  head.origin_count = 1;
  head.service_client = {};
  EXPECT_EQ(refused(acts), refusal_code::invalid_input);
}

TEST_F(AdmissionOfPartners, ASessionIsForOneOriginAlone) {
  come_from(other);
  head.cookie = cookie_of(partner) + "=mine";
  EXPECT_EQ(refused(acts), refusal_code::not_signed_in) << "that cookie is another's";
  head.cookie = cookie_of(other) + "=mine";
  EXPECT_EQ(refused(acts), refusal_code::not_signed_in) << "and so is the session in it";
  EXPECT_EQ(refused(of_partners(access::open, method::get)), std::nullopt) << "what is open to everybody sees nobody";
  EXPECT_FALSE(gate.caller());
}

TEST_F(AdmissionOfPartners, OurOwnSessionsActOnPagesThatAreBoth) {
  head.cookie = "own-cookie=ours";
  EXPECT_EQ(refused(acts), refusal_code::not_signed_in);
  EXPECT_EQ(refused(acts, true), std::nullopt) << "the page is one of ours, too";
}

TEST_F(AdmissionOfPartners, WhatIsOpenToTheirPagesNeedsNoSession) {
  const auto check = of_partners(access::open, method::get);
  EXPECT_EQ(refused(check), std::nullopt);
  EXPECT_FALSE(gate.caller());
  head.cookie = cookie_of(partner) + "=over";
  EXPECT_EQ(refused(check), std::nullopt) << "it may still be refreshed";
  EXPECT_FALSE(gate.caller());
}

TEST_F(AdmissionOfPartners, TheirSessionIsNoCredentialElsewhere) {
  route own = acts;
  own.partners = partner_use::none;
  sessions.strays = true;
  head.cookie = "own-cookie=mine";
  for (const auto* origin : {partner.c_str(), other.c_str(), ""}) {
    come_from(origin);
    gate.begin(steady_clock::now(), "id");
    EXPECT_FALSE(gate.count(bucket::write));
    EXPECT_FALSE(gate.caller()) << "its owner pays for nothing";
    const auto verdict = gate.admit(own, true);
    ASSERT_TRUE(std::holds_alternative<admission::refused>(verdict));
    EXPECT_EQ(std::get<admission::refused>(verdict).why.code, refusal_code::unauthenticated);
  }
}

} // namespace
} // namespace credence::http
