#include "http/callers/rate_limiter.hpp"

#include <gtest/gtest.h>

#include <thread>

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
client_address at(const char* address) { return parse_address(address).value(); }

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
    std::vector<std::thread> askers;
    for (int i = 0; i < 4; ++i)
      askers.emplace_back([&] {
        for (int n = 0; n < 500; ++n)
          admitted += limits.charge(bucket::read, profile(1), second).admitted;
      });
    for (auto& each : askers)
      each.join();
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
  std::vector<std::thread> askers;
  std::atomic<std::int64_t> refused{0};
  for (std::int32_t i = 0; i < 4; ++i)
    askers.emplace_back([&limits, &refused, i] {
      for (std::int32_t n = 0; n < 20'000; ++n) // each caller once in a second of its own
        refused += !limits.charge(bucket::read, profile(i * 100'000 + n), (n + 1) * second).admitted;
    });
  for (auto& each : askers)
    each.join();
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

} // namespace
} // namespace credence::http
