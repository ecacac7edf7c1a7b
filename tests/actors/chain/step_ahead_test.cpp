#include "actors/chain/follow_memory.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

follow_position tip(int number) {
  follow_position out;
  out.tip.hash[0] = static_cast<std::byte>(number);
  return out;
}
step_taken found_at(int head) {
  step_taken out;
  out.wrong = head; // to tell it from others
  return out;
}

TEST(StepAhead, IsKeptUntilItsTipIsStored) {
  step_ahead ahead;
  const auto number = ahead.asked(tip(1));
  auto found = found_at(5);
  EXPECT_FALSE(ahead.came(number, found));
  EXPECT_FALSE(ahead.take(tip(2)));
  const auto taken = ahead.take(tip(1));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->wrong, 5);
  EXPECT_FALSE(ahead.take(tip(1))) << "once";
}

TEST(StepAhead, IsGivenToWhoeverWaitsForIt) {
  step_ahead ahead;
  EXPECT_FALSE(ahead.wait_for(tip(1)));
  const auto number = ahead.asked(tip(1));
  EXPECT_FALSE(ahead.wait_for(tip(2)));
  EXPECT_TRUE(ahead.wait_for(tip(1)));
  auto found = found_at(5);
  EXPECT_TRUE(ahead.came(number, found));
  EXPECT_FALSE(ahead.take(tip(1)));
  EXPECT_FALSE(ahead.wait_for(tip(1)));
}

TEST(StepAhead, IsForgottenWhereItIsOfNoUse) {
  step_ahead ahead;
  const auto number = ahead.asked(tip(1));
  ahead.drop();
  EXPECT_FALSE(ahead.wait_for(tip(1)));
  auto found = found_at(5);
  EXPECT_FALSE(ahead.came(number, found));
  EXPECT_FALSE(ahead.take(tip(1)));
  const auto next = ahead.asked(tip(1));
  EXPECT_FALSE(ahead.came(number, found)) << "of the one before";
  EXPECT_FALSE(ahead.take(tip(1)));
  EXPECT_FALSE(ahead.came(next, found));
  EXPECT_TRUE(ahead.take(tip(1)));
}

} // namespace
} // namespace credence::chain
