#include "actors/wallets/gas_budget.hpp"

#include <gtest/gtest.h>

namespace credence::wallets {
namespace {

using namespace std::chrono_literals;

constexpr timestamp noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 4} + 12h};
constexpr profile_id alice{1}, bob{2};

class GasBudget : public testing::Test {
protected:
  GasBudget() {
    within.sponsored_per_wallet = wei{100};
    within.sponsored_per_day = wei{150};
  }
  bool may(profile_id whose, int amount, timestamp at = noon) { return !budget.refuse(whose, wei{amount}, at, within); }

  signing_bounds within;
  gas_budget budget;
};

TEST_F(GasBudget, OneWalletAndAllTogetherGetSoMuchADay) {
  EXPECT_TRUE(may(alice, 100));
  EXPECT_FALSE(may(alice, 101));
  budget.grant(alice, wei{100}, noon);
  EXPECT_FALSE(may(alice, 1));
  EXPECT_TRUE(may(bob, 50));
  EXPECT_FALSE(may(bob, 51)) << "all of the day";
  EXPECT_TRUE(may(alice, 100, noon + 24h));
}

TEST_F(GasBudget, WhatCameToNothingIsGivenBack) {
  budget.grant(alice, wei{100}, noon);
  budget.take_back(alice, wei{60});
  EXPECT_TRUE(may(alice, 60));
  EXPECT_FALSE(may(alice, 61));
}

TEST_F(GasBudget, GoesOnWithWhatIsStoredOfTheDay) {
  budget.restore({{alice, wei{90}}}, day_of(noon));
  EXPECT_TRUE(may(alice, 10));
  EXPECT_FALSE(may(alice, 11));
}

} // namespace
} // namespace credence::wallets
