#include "actors/chain/follow_pace.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

using namespace std::chrono_literals;

TEST(FollowPace, TakesLargeStepsWhileNobodyAsks) {
  follow_pace pace;
  EXPECT_EQ(pace.events_max(false), step_events_max);
  EXPECT_EQ(follow_pace::rest(40ms, false), 0ms);
  pace.stored(2000, 51ms);
  EXPECT_EQ(pace.events_max(false), 1000u);
}

TEST(FollowPace, TakesSmallStepsWithRestsWhileClientsWait) {
  follow_pace pace;
  const auto first = pace.events_max(true);
  EXPECT_LE(first, 100u);
  EXPECT_EQ(follow_pace::rest(5ms, true), 15ms);
  EXPECT_EQ(follow_pace::rest(1h, true), 1000ms);
  pace.stored(first, 5ms);
  EXPECT_EQ(pace.events_max(true), first / 2);
  EXPECT_EQ(pace.events_max(false), step_events_max) << "large ones are as they were";
  for (int i = 0; i < 100; ++i)
    pace.stored(1, 1ms);
  EXPECT_LT(pace.events_max(true), first) << "steps with little in them say nothing";
  for (int i = 0; i < 100; ++i)
    pace.stored(pace.events_max(true), 1ms);
  EXPECT_GT(pace.events_max(true), first);
  pace.stored(2000, 51ms);
  EXPECT_GT(pace.events_max(true), first) << "a large step says nothing of small ones";
}

TEST(FollowPace, ShrinksAfterAStepThatWasLostAndGrowsAgain) {
  follow_pace pace;
  for (int i = 0; i < 20; ++i)
    pace.lost();
  EXPECT_EQ(pace.events_max(false), 1u);
  EXPECT_EQ(pace.events_max(true), 1u);
  for (int i = 0; i < 200; ++i)
    pace.stored(pace.events_max(false), 1ms);
  EXPECT_EQ(pace.events_max(false), step_events_max);
}

} // namespace
} // namespace credence::chain
