#include "actors/kernel/pace.hpp"

#include <gtest/gtest.h>

namespace credence {
namespace {

using namespace std::chrono_literals;

TEST(StepSize, IsHalvedBySlowStepsAndGrowsByQuickOnesWithinItsBounds) {
  step_size size{1000};
  EXPECT_EQ(size.max(), step_size::first);
  size.took(step_size::slow + 1ms);
  EXPECT_EQ(size.max(), step_size::first / 2);
  size.took(step_size::slow);
  size.took(step_size::fast);
  EXPECT_EQ(size.max(), step_size::first / 2) << "it is right as it is";
  for (int i = 0; i < 20; ++i)
    size.took(1h);
  EXPECT_EQ(size.max(), 1u);
  for (int i = 0; i < 100; ++i)
    size.took(1ms);
  EXPECT_EQ(size.max(), 1000u);
  EXPECT_EQ(step_size{2}.max(), 2u) << "never more than the most";
}

TEST(StepSize, MayAimAtOtherTimes) {
  step_size size{100, 20, {15ms, 8ms}};
  size.took(16ms);
  EXPECT_EQ(size.max(), 10u);
  size.took(10ms);
  EXPECT_EQ(size.max(), 10u);
  size.took(7ms);
  EXPECT_EQ(size.max(), 11u);
}

TEST(RestBehindAStep, IsEightTimesAsLongWhereOthersWait) {
  EXPECT_EQ(rest_behind(40ms, false), 0ms);
  EXPECT_EQ(rest_behind(5ms, true), 40ms);
  EXPECT_EQ(rest_behind(1ns, true), 1ms);
  EXPECT_EQ(rest_behind(1h, true), rest_max);
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
} // namespace credence
