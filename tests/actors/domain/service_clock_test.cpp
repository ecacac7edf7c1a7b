#include "actors/domain/time.hpp"

#include <gtest/gtest.h>

namespace credence {
namespace {

using namespace std::chrono_literals;

constexpr auto boot = 1000s;
constexpr timestamp noon{1'767'000'000s};

clock_verdict at_once(clock_judge& judge, timestamp ours, timestamp theirs, std::chrono::nanoseconds booted) {
  return judge.judge(ours, theirs, ours, booted);
}

TEST(ClockJudge, BelievesWhatIsNearTheDatabasesClock) {
  clock_judge judge;
  for (const auto off : {0s, 5s, -5s})
    EXPECT_EQ(at_once(judge, noon, noon + off, boot), clock_verdict::good) << off.count();
  for (const auto off : {6s, -6s, 100'000'000s})
    EXPECT_EQ(at_once(judge, noon, noon + off, boot), clock_verdict::differs) << off.count();
}

TEST(ClockJudge, AnAnswerThatTookLongProvesNoDifference) {
  clock_judge judge;
  EXPECT_EQ(judge.judge(noon, noon + 1s, noon + 30s, boot), clock_verdict::good);
  EXPECT_EQ(judge.difference(), 0s);
  EXPECT_EQ(judge.judge(noon, noon + 40s, noon + 30s, boot), clock_verdict::differs);
  EXPECT_EQ(judge.difference(), -10s) << "so much behind at least";
}

TEST(ClockJudge, AStepThatTheDatabaseTakesAlongIsBelievedOnlyWhenItIsSmall) {
  clock_judge judge;
  ASSERT_EQ(at_once(judge, noon, noon, boot), clock_verdict::good);
  const auto corrected = noon + 1h;
  EXPECT_EQ(at_once(judge, corrected, corrected, boot), clock_verdict::good);
  const auto years = noon + 24h * 366 * 3;
  EXPECT_EQ(at_once(judge, years, years, boot), clock_verdict::stepped);
  EXPECT_EQ(*judge.ahead(), std::chrono::duration_cast<std::chrono::microseconds>(corrected.time_since_epoch() - boot))
    << "what was good still is";
  EXPECT_EQ(at_once(judge, corrected + 10s, corrected + 10s, boot + 10s), clock_verdict::good) << "it is right again";
}

TEST(ClockJudge, TimeThatPassesIsNoStep) {
  clock_judge judge;
  ASSERT_EQ(at_once(judge, noon, noon, boot), clock_verdict::good);
  const auto month = 24h * 31; // without a look
  EXPECT_EQ(at_once(judge, noon + month, noon + month, boot + month), clock_verdict::good);
}

TEST(ClockJudge, TheFirstLookHasNothingToCompareWithButTheDatabase) {
  clock_judge judge;
  EXPECT_EQ(judge.ahead(), std::nullopt);
  EXPECT_EQ(at_once(judge, noon, noon + 1h, boot), clock_verdict::differs);
  EXPECT_EQ(judge.ahead(), std::nullopt);
}

} // namespace
} // namespace credence
