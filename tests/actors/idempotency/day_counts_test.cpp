#include "actors/idempotency/day_counts.hpp"

#include <gtest/gtest.h>

namespace credence::idempotency {
namespace {

using namespace std::chrono_literals;

constexpr timestamp noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 4} + 12h};
constexpr std::chrono::sys_days today = std::chrono::floor<std::chrono::days>(noon);
constexpr profile_id one{1}, other{2};
constexpr auto edits = daily_act::profile_edits;
const auto most = bound_of(edits).most;

/// How many acts are let through, of ten more than there may be.
std::int64_t taken(day_counts& of, profile_id whose, timestamp at = noon) {
  std::int64_t out = 0;
  for (std::int64_t i = 0; i < most + 10; ++i)
    out += !of.take(whose, edits, 1, at);
  return out;
}

TEST(DayCounts, AProfileHasSoManyActsADayAndEachProfileItsOwn) {
  day_counts days;
  EXPECT_EQ(taken(days, one), most);
  EXPECT_EQ(taken(days, other), most);
  EXPECT_FALSE(days.take(one, daily_act::replies, 1, noon)) << "another kind of act";
  EXPECT_EQ(taken(days, one, noon + 11h), 0) << "the same day";
  EXPECT_EQ(taken(days, one, noon + 12h), most) << "the next one";
}

TEST(DayCounts, TheRefusalNamesTheBoundWhatIsUsedAndWhenItStartsAnew) {
  day_counts days;
  taken(days, one);
  const auto why = days.take(one, edits, 1, noon + 1s);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, refusal_code::too_many_records);
  EXPECT_EQ(
    why->detail,
    "profile 1 has used 50 of 50 a day: edits of the own profile; counted anew from 2026-03-05T00:00:00.000Z on");
  EXPECT_EQ(why->retry_after, 12h - 1s);
}

TEST(DayCounts, AnActThatWasRefusedIsGivenBack) {
  day_counts days;
  taken(days, one);
  days.give_back(one, edits, noon);
  EXPECT_FALSE(days.take(one, edits, 1, noon));
  EXPECT_TRUE(days.take(one, edits, 1, noon));
  days.give_back(other, edits, noon); // who has none
  EXPECT_EQ(taken(days, other), most);
}

TEST(DayCounts, WhatIsStoredOfTheDayCountsAndOfAnotherDayDoesNot) {
  day_counts days;
  EXPECT_TRUE(days.has_to_learn(one, edits, 1, noon)) << "of so few the first is a hundredth";
  days.learn(one, {{one, "profile_edits", today, most - 2}, {one, "an act of a later version", today, 7}}, noon);
  EXPECT_FALSE(days.has_to_learn(one, edits, 1, noon));
  EXPECT_EQ(taken(days, one), 2);
  days.learn(other, {{other, "profile_edits", today - std::chrono::days{1}, most}}, noon);
  EXPECT_EQ(taken(days, other), most);
}

TEST(DayCounts, NothingIsLookedUpNorWrittenForWhoUsesAHundredthOfABound) {
  day_counts days;
  const auto bytes = bound_of(daily_act::kept_answer_bytes).most / 100;
  EXPECT_FALSE(days.has_to_learn(one, daily_act::kept_answer_bytes, 0, noon));
  EXPECT_FALSE(days.take(one, daily_act::kept_answer_bytes, bytes - 1, noon));
  EXPECT_FALSE(days.has_to_learn(one, daily_act::kept_answer_bytes, 0, noon));
  EXPECT_FALSE(days.take(one, daily_act::kept_answer_bytes, 1, noon));
  EXPECT_TRUE(days.has_to_learn(one, daily_act::kept_answer_bytes, 0, noon));
  EXPECT_TRUE(days.take_unwritten(10).empty()) << "not before it is known what is stored";
  days.learn(one, {}, noon);
  EXPECT_FALSE(days.take(one, daily_act::kept_answer_bytes, 5, noon));
  const auto written = days.take_unwritten(10);
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].act, "kept_answer_bytes");
  EXPECT_EQ(written[0].used, bytes + 5);
  EXPECT_EQ(written[0].day, today);
  EXPECT_FALSE(days.take(one, daily_act::kept_answer_bytes, 5, noon));
  EXPECT_TRUE(days.take_unwritten(10).empty()) << "a hundredth later";
}

TEST(DayCounts, WhatCouldNotBeWrittenIsWrittenLater) {
  day_counts days;
  days.learn(one, {}, noon);
  days.learn(other, {}, noon);
  static_cast<void>(days.take(one, edits, 1, noon));
  static_cast<void>(days.take(other, edits, 1, noon));
  const auto first = days.take_unwritten(1);
  EXPECT_EQ(first.size(), 1u);
  EXPECT_EQ(days.take_unwritten(10).size(), 1u);
  days.not_written(first);
  EXPECT_EQ(days.take_unwritten(10).size(), 1u);
  days.not_written(first);
  static_cast<void>(days.take(other, edits, 1, noon + 12h));
  for (const auto& each : days.take_unwritten(10))
    EXPECT_NE(each.profile, one) << "of a day that is over";
}

} // namespace
} // namespace credence::idempotency
