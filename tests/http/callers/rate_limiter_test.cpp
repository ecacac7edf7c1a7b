#include "http/callers/rate_limiter.hpp"
#include "http/callers/token_authenticator.hpp"
#include "http/server/bounds.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

using namespace std::chrono_literals;
constexpr std::int64_t second = 1'000'000'000;

settings::http with(settings::rate reads) {
  settings::http out;
  out.rate_read = reads;
  out.rate_anonymous = reads;
  return out;
}

principal profile(std::int32_t id) { return {profile_id{id}, false, credential_kind::access_token}; }
client_address at(std::string_view text) { return parse_address(text).value(); }

TEST(RateLimiter, AdmitsABurstAndThenTheRate) {
  rate_limiter limits{with({10, 1s, 5})};
  std::int64_t now = 7 * second;
  for (int left = 4; left >= 0; --left) {
    const auto came = limits.charge(bucket::read, profile(1), now);
    EXPECT_TRUE(came.admitted);
    EXPECT_EQ(came.left, left);
    EXPECT_EQ(came.full_in, 1);
  }
  const auto over = limits.charge(bucket::read, profile(1), now);
  EXPECT_FALSE(over.admitted);
  EXPECT_EQ(over.left, 0);
  EXPECT_EQ(over.retry_in, 1) << "a tenth of a second, told in whole ones";
  EXPECT_FALSE(limits.charge(bucket::read, profile(1), now + second / 10 - 1).admitted);
  EXPECT_TRUE(limits.charge(bucket::read, profile(1), now + second / 10).admitted);
  EXPECT_FALSE(limits.charge(bucket::read, profile(1), now + second / 10).admitted)
    << "refusals cost nothing, requests do";
  int admitted = 0;
  for (now += second / 10; now < 1007 * second; now += second / 100)
    admitted += limits.charge(bucket::read, profile(1), now).admitted;
  EXPECT_EQ(admitted, 9998) << "from 7.2 s on, ten a second";
}

TEST(RateLimiter, IsFullAgainAfterItsWindow) {
  rate_limiter limits{with({10, 1min, 30})};
  for (int i = 0; i < 30; ++i)
    EXPECT_TRUE(limits.charge(bucket::read, profile(1), second).admitted);
  const auto over = limits.charge(bucket::read, profile(1), second);
  EXPECT_EQ(over.retry_in, 6);
  EXPECT_EQ(over.full_in, 180);
  EXPECT_EQ(over.of->head, "RateLimit-Policy: \"read\";q=30;w=180\r\nRateLimit: \"read\";r=");
  EXPECT_EQ(limits.charge(bucket::read, profile(1), second + over.retry_in * second).left, 0);
  const auto later = limits.charge(bucket::read, profile(1), 187 * second);
  EXPECT_TRUE(later.admitted);
  EXPECT_EQ(later.left, 29);
  EXPECT_EQ(later.full_in, 6);
}

TEST(RateLimiter, BoundsNothingWhereTheRateIsNone) {
  auto off = with({0, 1s, 0});
  rate_limiter none{off};
  off = with({1, 1s, 1});
  off.rate_limits = false;
  rate_limiter all{off};
  for (auto* limits : {&none, &all})
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(limits->charge(bucket::read, profile(1), 1).of, nullptr);
      EXPECT_TRUE(limits->charge(bucket::read, "bot", at("::1"), 1).admitted);
      EXPECT_TRUE(limits->charge_anonymous(at("::1"), 1).admitted);
    }
  EXPECT_NE(none.charge(bucket::write, profile(1), 1).of, nullptr);
  EXPECT_EQ(all.charge(bucket::write, profile(1), 1).of, nullptr);
}

TEST(RateLimiter, KeepsCallersApart) {
  auto one = with({1, 1h, 1});
  one.rate_write = one.rate_read;
  rate_limiter limits{one};
  const auto session = principal{profile_id{1}, false, credential_kind::session};
  const auto fresh = [&](bool admitted) { EXPECT_TRUE(admitted); };
  fresh(limits.charge(bucket::read, profile(1), 1).admitted);
  fresh(limits.charge(bucket::read, profile(2), 1).admitted);
  fresh(limits.charge(bucket::read, session, 1).admitted);
  fresh(limits.charge(bucket::write, profile(1), 1).admitted);
  fresh(limits.charge(bucket::read, "bot", at("10.0.0.1"), 1).admitted);
  fresh(limits.charge(bucket::read, "bot", at("10.0.0.2"), 1).admitted);
  fresh(limits.charge(bucket::read, "bot2", at("10.0.0.1"), 1).admitted);
  fresh(limits.charge(bucket::read, "bot", at("2001:db8:0:1::1"), 1).admitted);
  fresh(limits.charge(bucket::read, "bot", at("2001:db8:0:2::1"), 1).admitted);
  fresh(limits.charge_anonymous(at("10.0.0.1"), 1).admitted);
  EXPECT_FALSE(limits.charge(bucket::read, profile(1), 1).admitted);
  EXPECT_FALSE(limits.charge(bucket::read, "bot", at("2001:db8:0:1:ffff::2"), 1).admitted) << "one household";
  EXPECT_FALSE(limits.charge(bucket::read, "bot", at("::ffff:10.0.0.1"), 1).admitted) << "the same address";
  EXPECT_FALSE(limits.charge_anonymous(at("10.0.0.1"), 1).admitted);
}

TEST(RateLimiter, TakesWhatIsOwedAlsoWhereLessIsLeft) {
  rate_limiter limits{with({10, 1s, 5})};
  EXPECT_EQ(limits.charge(bucket::read, profile(1), second, {2, true}).left, 3);
  const auto dry = limits.charge(bucket::read, profile(1), second, {100, true});
  EXPECT_EQ(dry.left, 0);
  EXPECT_EQ(limits.charge(bucket::read, profile(1), second).retry_in, 1) << "no more than the bucket holds";
  EXPECT_FALSE(limits.charge(bucket::read, profile(1), second).admitted);
  EXPECT_TRUE(limits.charge(bucket::read, profile(1), second + second / 10).admitted);
}

TEST(RateLimiter, WhatAnAddressOwesStopsItAlsoWithoutAName) {
  auto rates = with({10, 1s, 5});
  rates.rate_address = {10, 1s, 5};
  rate_limiter limits{rates};
  limits.charge(bucket::address, {}, at("10.0.0.1"), second, {100, true});
  EXPECT_FALSE(limits.charge_anonymous(at("10.0.0.1"), second).admitted);
  EXPECT_TRUE(limits.charge_anonymous(at("10.0.0.2"), second).admitted) << "and takes nothing from the bucket of all";
}

TEST(RateLimiter, StopsLookingAtCredentialsOfWhoGuesses) {
  auto rates = with({1, 1s, 1});
  rates.rate_credentials = {1, 1s, 3};
  rate_limiter limits{rates};
  const auto here = at("10.0.0.1"), there = at("10.0.0.2");
  EXPECT_TRUE(limits.may_try_credentials(here, second));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(limits.may_try_credentials(here, second));
    EXPECT_TRUE(limits.charge_refused(here, second).admitted);
  }
  EXPECT_FALSE(limits.may_try_credentials(here, second));
  EXPECT_FALSE(limits.charge_refused(here, second).admitted);
  EXPECT_TRUE(limits.may_try_credentials(there, second));
  EXPECT_TRUE(limits.may_try_credentials(here, 2 * second));
  EXPECT_TRUE(limits.may_try_credentials(here, 100 * second));
}

TEST(RateLimiter, NeverAdmitsMoreThanTheQuotaWhoeverAsksAtOnce) {
  for (int round = 0; round < 20; ++round) {
    rate_limiter limits{with({1, 1h, 1000}), 64};
    std::atomic<int> admitted{0};
    credence::test::at_once(4, [&] {
      for (int n = 0; n < 500; ++n)
        admitted += limits.charge(bucket::read, profile(1), second).admitted;
    });
    EXPECT_EQ(admitted, 1000);
  }
}

TEST(RateLimiter, LocksNobodyOutWhenThereAreMoreCallersThanEntries) {
  rate_limiter limits{with({1, 1h, 2}), 64};
  for (std::int32_t id = 1; id <= 20'000; ++id) {
    const auto first = limits.charge(bucket::read, profile(id), second);
    ASSERT_TRUE(first.admitted) << id;
    ASSERT_EQ(first.left, 1) << "a new caller has no debts of the one before";
  }
}

TEST(RateLimiter, ForgetsWhoHasLeastToForget) {
  rate_limiter limits{with({1, 1h, 100}), 4}; // one set
  for (int i = 0; i < 100; ++i)
    limits.charge(bucket::read, profile(1), second);
  for (std::int32_t id = 2; id <= 1000; ++id)
    EXPECT_TRUE(limits.charge(bucket::read, profile(id), second).admitted);
  EXPECT_FALSE(limits.charge(bucket::read, profile(1), second).admitted) << "the busiest stays";
}

TEST(RateLimiter, GivesEntriesThatAreFullAgainAwayWithoutLoss) {
  rate_limiter limits{with({1, 1s, 2}), 8};
  std::int64_t now = second;
  for (std::int32_t id = 1; id <= 1000; ++id, now += second) {
    EXPECT_TRUE(limits.charge(bucket::read, profile(id), now).admitted);
    if (id > 3) { // one who comes every three seconds has always two left
      EXPECT_EQ(limits.charge(bucket::read, profile(id - 3), now).left, 1);
    }
  }
}

TEST(RateLimiter, SurvivesThreadsThatTakeEachOthersEntries) {
  rate_limiter limits{with({1000, 1s, 4}), 8};
  std::atomic<std::int64_t> refused{0};
  credence::test::at_once(4, [&limits, &refused](std::int32_t i) {
    for (std::int32_t n = 0; n < 20'000; ++n) // each caller once in a second of its own
      refused += !limits.charge(bucket::read, profile(i * 100'000 + n), (n + 1) * second).admitted;
  });
  EXPECT_LT(refused, 800) << "a caller may find one debt of the one before, not a closed door";
}

TEST(RateLimiter, NamesTheClassOfARoute) {
  const auto of = [](method verb, access who, quota_class quota = quota_class::derived) {
    return bucket_of({verb, "/", who, scope::none, nullptr, needs::data, quota});
  };
  EXPECT_EQ(of(method::get, access::open), bucket::read);
  EXPECT_EQ(of(method::get, access::bearer), bucket::read);
  EXPECT_EQ(of(method::post, access::bearer), bucket::write);
  EXPECT_EQ(of(method::del, access::open), bucket::write);
  EXPECT_EQ(of(method::get, access::admin), bucket::admin);
  EXPECT_EQ(of(method::post, access::open, quota_class::wallet), bucket::wallet);
  EXPECT_EQ(of(method::post, access::open, quota_class::read), bucket::read);
}

TEST(AddressShares, BoundWhatAHouseholdHolds) {
  address_shares all;
  address_share first, next, third, other;
  EXPECT_TRUE(first.take(all, at("2001:db8:0:1::1"), 1, 2));
  EXPECT_TRUE(next.take(all, at("2001:db8:0:1:ffff::2"), 1, 2));
  EXPECT_FALSE(third.take(all, at("2001:db8:0:1::3"), 1, 2));
  EXPECT_TRUE(other.take(all, at("2001:db8:0:2::1"), 1, 2));
  EXPECT_EQ(all.addresses(), 2u);
  {
    const address_share moved = std::move(first);
    EXPECT_FALSE(third.take(all, at("2001:db8:0:1::3"), 1, 2)) << "moved, not given back";
  }
  EXPECT_TRUE(third.take(all, at("2001:db8:0:1::3"), 1, 2));
  EXPECT_TRUE(third.take(all, at("2001:db8:0:1::3"), 1, 2)) << "in place of what it held";
  for (auto* each : {&next, &third, &other})
    each->give_back();
  EXPECT_EQ(all.addresses(), 0u) << "who holds nothing takes no memory";
}

TEST(UnsentAnswers, GiveRoomAgainAndNobodyMoreThanAPart) {
  unsent_answers all{400};
  unsent_answers::room first, next, others[4], forced;
  EXPECT_TRUE(first.take(all, at("10.0.0.1"), 100));
  EXPECT_FALSE(next.take(all, at("10.0.0.1"), 1)) << "a quarter for one address";
  EXPECT_FALSE(next.held());
  EXPECT_TRUE(others[0].take(all, at("10.0.0.2"), 100));
  EXPECT_TRUE(others[1].take(all, at("10.0.0.3"), 100));
  forced.take_anyway(all, 50);
  EXPECT_FALSE(others[2].take(all, at("10.0.0.4"), 100)) << "all of it is taken";
  EXPECT_EQ(all.bytes(), 350);
  forced.give_back();
  EXPECT_TRUE(others[2].take(all, at("10.0.0.4"), 100));
  first.give_back();
  EXPECT_TRUE(next.take(all, at("10.0.0.1"), 100));
  EXPECT_EQ(all.bytes(), 400);
}

TEST(RequestWeight, GrowsWithRowsAndKeys) {
  EXPECT_EQ(weight_of({}, ""), 1);
  EXPECT_EQ(weight_of({{"limit", "50"}, {"offset", "1000000"}}, ""), 1);
  EXPECT_EQ(weight_of({{"limit", "51"}}, ""), 2);
  EXPECT_EQ(weight_of({{"limit", "1000"}}, ""), 20);
  for (const auto* wrong : {"", "x", "-5", "99999999999999999999"})
    EXPECT_EQ(weight_of({{"limit", wrong}}, ""), 1) << wrong;
  EXPECT_EQ(weight_of({{"limit", "9223372036854775807"}}, ""), 200) << "refused anyway";
  EXPECT_EQ(weight_of({{"profileIds", "1,2,3,4,5,6,7,8,9,10,11"}}, ""), 2);
  EXPECT_EQ(weight_of({{"ids", "1,2,3,4,5,6,7,8,9,10,11"}}, ""), 2);
  EXPECT_EQ(weight_of({{"ids[]", "1,2,3,4,5,6,7,8,9,10,11"}}, ""), 2);
  query_map repeated;
  for (int i = 0; i < 100; ++i)
    repeated.emplace_back("profileIds[]", "7");
  EXPECT_EQ(weight_of(repeated, ""), 10);
  EXPECT_EQ(weight_of({}, R"({"keys":["a","b"]})"), 1);
  EXPECT_EQ(weight_of({}, R"({"keys":[",,,,,,,,,,,,,,,,,,","\",,,,,,,,,,,"]})"), 1) << "commas in texts";
  EXPECT_EQ(weight_of({}, R"({"limit" : 1000, "offset":0})"), 20);
  EXPECT_EQ(weight_of({}, R"({"l\u0069mit":1000})"), 20) << "however it is written";
  EXPECT_EQ(weight_of({}, R"({"filter":{"limit":1},"limit":1000})"), 20) << "its own, not that of what is within";
  EXPECT_EQ(weight_of({}, R"({"text":"\"limit\":1","limit":1000})"), 20) << "not what a text says";
  EXPECT_EQ(weight_of({}, R"({"limit":1,"limit":1000})"), 1) << "refused anyway";
  EXPECT_EQ(weight_of({{"limit", "1000"}}, R"({"limit":51})"), 20) << "whichever is more";
  for (const auto* other : {R"({"limit":"1000"})", R"({"limit":-1000})", R"({"limit"})", R"({"limit":)"})
    EXPECT_EQ(weight_of({}, other), 1) << other;
  EXPECT_EQ(weight_of({}, "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]"), 3);
}

TEST(ClientAddress, ReadsWhatProxiesWrite) {
  EXPECT_EQ(at("10.0.0.1"), at("::ffff:10.0.0.1"));
  EXPECT_EQ(at("10.0.0.1:8080"), at("10.0.0.1"));
  EXPECT_EQ(at("[2001:db8::1]:443"), at("2001:db8::1"));
  EXPECT_EQ(at("[2001:db8::1]"), at("2001:db8::1"));
  EXPECT_EQ(at("fe80::1%eth0"), at("fe80::1"));
  for (const auto* bad :
       {"", "unknown", "10.0.0", "10.0.0.256", "10.0.0.1:", "10.0.0.1:x", "[::1", "[::1]x", "::1::2", "_hidden",
        "1.2.3.4 5.6.7.8", "10.0.0.1:123456", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
    EXPECT_FALSE(parse_address(bad)) << bad;
}

TEST(ClientAddress, KnowsThisMachine) {
  for (const auto* here : {"127.0.0.1", "127.255.0.9", "::ffff:127.0.0.1", "::1"})
    EXPECT_TRUE(is_loopback(at(here))) << here;
  for (const auto* elsewhere : {"128.0.0.1", "10.0.0.1", "::2", "::", "1::1", "fe80::1", "::ffff:10.0.0.127"})
    EXPECT_FALSE(is_loopback(at(elsewhere))) << elsewhere;
}

TEST(ClientAddress, TellsHouseholdsApartNotTheirDevices) {
  EXPECT_EQ(at("2001:db8:0:1::1").of_one_client(), at("2001:db8:0:1:ffff::9").of_one_client());
  EXPECT_NE(at("2001:db8:0:1::1").of_one_client(), at("2001:db8:0:2::1").of_one_client());
  EXPECT_NE(at("10.0.0.1").of_one_client(), at("10.0.0.2").of_one_client());
}

TEST(ClientAddress, KnowsNetworks) {
  const std::vector<std::string> networks{"10.0.0.0/8", "192.168.4.0/22", "127.0.0.1", "fd00::/8", "2001:db8::5/128"};
  const address_ranges ranges{networks};
  for (const auto* inside : {"10.255.0.1", "192.168.7.255", "127.0.0.1", "fdab::1", "2001:db8::5", "::ffff:10.0.0.1"})
    EXPECT_TRUE(ranges.contains(at(inside))) << inside;
  for (const auto* outside : {"11.0.0.1", "192.168.8.0", "127.0.0.2", "fe00::1", "2001:db8::6", "::a00:1"})
    EXPECT_FALSE(ranges.contains(at(outside))) << outside;
  const std::vector<std::string> all{"0.0.0.0/0"};
  EXPECT_TRUE(address_ranges{all}.contains(at("1.2.3.4")));
  EXPECT_FALSE(address_ranges{all}.contains(at("::1")));
}

TEST(ClientAddress, BelievesProxiesItTrustsAndNoOthers) {
  const std::vector<std::string> networks{"10.0.0.0/8"};
  const address_ranges trusted{networks};
  struct {
    const char* peer;
    const char* said;
    const char* client;
  } const table[]{
    {"10.0.0.1", "", "10.0.0.1"},
    {"10.0.0.1", "1.2.3.4", "1.2.3.4"},
    {"5.5.5.5", "1.2.3.4", "5.5.5.5"},                     // anybody can write that
    {"10.0.0.1", "9.9.9.9, 1.2.3.4, 10.0.0.7", "1.2.3.4"}, // the right-most that is not ours
    {"10.0.0.1", "10.0.0.9,10.0.0.8", "10.0.0.9"},         // all are ours
    {"10.0.0.1", "garbage, 1.2.3.4", "1.2.3.4"},           // what is further left is never looked at
    {"10.0.0.1", "1.2.3.4, garbage", "10.0.0.1"},
    {"10.0.0.1", "1.2.3.4, garbage, 10.0.0.2", "10.0.0.1"},
    {"10.0.0.1", "1.2.3.4,", "10.0.0.1"},
    {"10.0.0.1", "[2001:db8::1]:99", "2001:db8::1"},
  };
  for (const auto& each : table)
    EXPECT_EQ(client_behind(at(each.peer), trusted, each.said), at(each.client)) << each.peer << " says " << each.said;
}

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

struct TokenAuthenticator : testing::Test {
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
