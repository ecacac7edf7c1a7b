#include "actors/funds/funds_actor.hpp"
#include "actors/idempotency/idempotency_actor.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence {
namespace {

class Port : public testing::Test, protected test::deterministic_world {
protected:
  /// What CAF's clock will wake somebody for.
  std::size_t timers() { return sched.clock().schedule().size(); }

  void ask_everything_of(int profile) {
    put(others.profiles, profile::get_balance{profile_id{profile}, {}, {}});
    put(others.profiles, profile::send_tip{profile_id{profile}, profile_id{7}, 1, std::nullopt, std::nullopt});
    put(others.profiles, profile::list_keys{profile_id{profile}});
    put(others.funds, funds::get_funds{profile_id{profile}});
    put(others.markets, market::get_market{market_id{profile}});
    digest32 key{};
    key[0] = static_cast<std::byte>(profile);
    put(others.idempotency, idempotency::claim_key{key, key, test::test_now, nullptr, "7"});
  }
};

TEST_F(Port, WhatTheReadersHaveAnsweredLeavesNoTimerBehind) {
  open();
  ask_everything_of(1);
  const auto loads = storage->profile_loads;
  const auto before = timers();
  for (int profile = 2; profile <= 5; ++profile)
    ask_everything_of(profile);
  EXPECT_GE(storage->profile_loads, loads + 4) << "each was read";
  EXPECT_EQ(timers(), before) << "each timer wakes two threads, long after the answer";
}

} // namespace
} // namespace credence
