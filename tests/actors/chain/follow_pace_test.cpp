#include "actors/chain/follow_pace.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

using namespace std::chrono_literals;

TEST(FollowPace, TakesLargeStepsWhileNobodyAsks) {
  follow_pace pace;
  EXPECT_LE(pace.events_max(false), step_size::first) << "nobody knows yet how long one takes";
  EXPECT_EQ(follow_pace::rest(40ms, false), 0ms);
  for (int i = 0; i < 30; ++i)
    pace.stored(pace.events_max(false), step_size::fast - 1ms);
  EXPECT_EQ(pace.events_max(false), step_events_max);
  pace.stored(2000, step_size::slow + 1ms);
  EXPECT_EQ(pace.events_max(false), 1000u);
}

TEST(FollowPace, TakesSmallStepsWithRestsWhileClientsWait) {
  follow_pace pace;
  const auto first = pace.events_max(true);
  EXPECT_LE(first, 100u);
  EXPECT_EQ(follow_pace::rest(5ms, true), 40ms);
  EXPECT_EQ(follow_pace::rest(1h, true), follow_pace::rest_max);
  pace.stored(first, 23ms);
  EXPECT_LT(pace.events_max(true), first);
  EXPECT_EQ(pace.events_max(false), step_size::first) << "large ones are as they were";
  for (int i = 0; i < 100; ++i)
    pace.stored(1, 1ms);
  EXPECT_LT(pace.events_max(true), first) << "steps with little in them say nothing";
  for (int i = 0; i < 100; ++i)
    pace.stored(pace.events_max(true), 1ms);
  EXPECT_GT(pace.events_max(true), first);
  const auto grown = pace.events_max(true);
  pace.stored(2000, step_size::slow + 1ms);
  EXPECT_EQ(pace.events_max(true), std::min(grown, pace.events_max(false)))
    << "a large step says nothing of small ones";
}

TEST(FollowPace, NeverComesToAStandstillBehindTheCommitsOfOthers) {
  follow_pace pace;
  for (int i = 0; i < 1000; ++i)
    pace.stored(pace.events_max(true), step_size::slow - 5ms);
  EXPECT_EQ(pace.events_max(true), follow_pace::under_load_least);
  EXPECT_EQ(follow_pace::rest(step_size::slow - 5ms, true), follow_pace::rest_max);
}

TEST(FollowPace, ShrinksAfterAStepThatWasLostAndGrowsAgain) {
  for (const auto commit : {1ms, step_size::slow - 5ms}) {
    follow_pace pace;
    for (int i = 0; i < 20; ++i)
      pace.lost();
    EXPECT_EQ(pace.events_max(false), 1u);
    EXPECT_EQ(pace.events_max(true), 1u);
    for (int i = 0; i < 300; ++i)
      pace.stored(pace.events_max(false), commit);
    EXPECT_GE(pace.events_max(false), commit == 1ms ? step_events_max : follow_pace::under_load_least);
    EXPECT_GE(pace.events_max(true), follow_pace::under_load_least);
  }
}

TEST(Crowd, IsThereWhileClientsWaitMuchOfTheTime) {
  load_detector here;
  auto now = steady_time{1h};
  EXPECT_FALSE(here.here(0, now));
  for (int i = 0; i < 60; ++i)
    here.here(i % 2, now += 5ms); // quick answers leave moments in which nobody waits
  EXPECT_TRUE(here.here(1, now += 5ms));
  EXPECT_TRUE(here.here(0, now += 5ms)) << "none waits just now";
  for (int i = 0; i < 100; ++i)
    here.here(0, now += 5ms);
  EXPECT_FALSE(here.here(0, now += 5ms)) << "all are gone";
}

TEST(Crowd, IsNotWhoeverAsksNowAndThen) {
  load_detector here;
  auto now = steady_time{1h};
  for (int i = 0; i < 1000; ++i)
    EXPECT_FALSE(here.here(i % 20 == 10, now += 5ms)) << i;
}

TEST(Crowd, IsThereAtTheFirstLook) { EXPECT_TRUE(load_detector{}.here(3, steady_time{1h})); }

} // namespace
} // namespace credence::chain
