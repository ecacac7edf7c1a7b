#include "actors/period/period_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::period {
namespace {

using test::at_day;

class PeriodActorTest : public testing::Test, protected test::deterministic_world {};

TEST_F(PeriodActorTest, OpensTheFirstPeriodOfANewDatabase) {
  storage->periods.clear();
  open();
  EXPECT_EQ(calendar.get(), nullptr) << "nothing is published before it is committed";
  resolve(write_result::stored);
  ASSERT_TRUE(calendar.get());
  EXPECT_EQ(calendar.get()->current().year, 2026);
  EXPECT_EQ(calendar.get()->current().number, 1);
  EXPECT_EQ(calendar.get()->current().ends_at, at_day(2026, 4, 1));
}

TEST_F(PeriodActorTest, AdvancesOnceForEveryoneWhoAsks) {
  const auto first = put(others.periods, advance_period{});
  const auto second = put(others.periods, advance_period{});
  EXPECT_EQ(storage->written.size(), 1u) << "one at a time";
  EXPECT_TRUE(open_still(first));
  ASSERT_TRUE(yes(after(write_result::stored, first)));
  EXPECT_EQ(yes(first)->allocations_created, 7);
  EXPECT_EQ(yes(first)->total_votes_allocated, 21);
  EXPECT_EQ(calendar.get()->current().number, 3);
  ASSERT_TRUE(yes(after(write_result::stored, second)));
  EXPECT_EQ(yes(second)->opened.number, 4);
}

TEST_F(PeriodActorTest, AdvancesByItselfWhenTheMonthIsOver) {
  advance(std::chrono::seconds{1});
  EXPECT_TRUE(storage->written.empty());
  test::test_now = at_day(2026, 4, 1);
  advance(std::chrono::seconds{1});
  ASSERT_EQ(storage->written.size(), 1u);
  resolve(write_result::stored);
  EXPECT_EQ(calendar.get()->current().number, 3);
  EXPECT_EQ(calendar.get()->find(period_id{2})->closed_at, at_day(2026, 4, 1));
}

TEST_F(PeriodActorTest, DoesNotAdvanceByItselfFromAClockYearsAhead) {
  open();
  test::test_now = at_day(2029, 4, 1);
  advance(std::chrono::seconds{2});
  EXPECT_TRUE(storage->written.empty());
  const auto by_admin = put(others.periods, advance_period{});
  EXPECT_TRUE(yes(after(write_result::stored, by_admin))) << "an admin says that it is so late";
}

TEST_F(PeriodActorTest, DoesNotAdvanceWhileNothingMayBeWritten) {
  open();
  status.writable = false; // as while the clock is wrong
  test::test_now = at_day(2026, 4, 1);
  advance(std::chrono::seconds{2});
  EXPECT_TRUE(storage->written.empty());
  status.writable = true;
  advance(std::chrono::seconds{1});
  EXPECT_EQ(storage->written.size(), 1u);
}

TEST_F(PeriodActorTest, OpensTheFirstPeriodOnceItMayBeWritten) {
  storage->periods.clear();
  status.writable = false;
  open();
  EXPECT_TRUE(storage->written.empty());
  status.writable = true;
  advance(std::chrono::seconds{1});
  resolve(write_result::stored);
  EXPECT_TRUE(calendar.get());
}

TEST_F(PeriodActorTest, AdvancesByAdminsOnlyWhenToldSo) {
  with->limits.period_advance = "manual";
  open();
  test::test_now = at_day(2026, 6, 1);
  advance(std::chrono::seconds{2});
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(PeriodActorTest, AFailedAdvanceIsReadAgainFromTheStore) {
  const auto lost = put(others.periods, advance_period{});
  EXPECT_EQ(trouble(after(write_result::failed, lost)), failure::unavailable);
  advance(std::chrono::milliseconds{300});
  EXPECT_EQ(calendar.get()->current().number, 2);
  const auto again = put(others.periods, advance_period{});
  EXPECT_EQ(yes(after(write_result::stored, again))->opened.number, 3);
}

TEST(PeriodRules, NumbersStartAnewWithTheYear) {
  calendar so_far;
  so_far.periods.push_back({period_id{1}, 2026, 12, at_day(2026, 12, 1), at_day(2027, 1, 1), {}});
  const auto change = next_period(so_far, {}, at_day(2027, 1, 1));
  EXPECT_EQ(change.opened.year, 2027);
  EXPECT_EQ(change.opened.number, 1);
  EXPECT_EQ(change.closes, period_id{1});
}

TEST(PeriodRules, AClockSetBackNeitherReordersPeriodsNorReturnsToAnOldYear) {
  calendar so_far;
  so_far.periods.push_back({period_id{1}, 2027, 1, at_day(2027, 1, 1), at_day(2027, 2, 1), {}});
  const auto change = next_period(so_far, {}, at_day(2026, 12, 31, 23));
  EXPECT_EQ(change.opened.year, 2027);
  EXPECT_EQ(change.opened.number, 2);
  EXPECT_EQ(change.opened.starts_at, at_day(2027, 1, 1));
}

TEST(PeriodRules, APeriodIsFoundByYearAndNumberOrByEither) {
  calendar all;
  all.periods = {
    {period_id{1}, 2025, 4, {}, {}, {}}, {period_id{2}, 2026, 1, {}, {}, {}}, {period_id{3}, 2026, 2, {}, {}, {}}};
  EXPECT_EQ(all.find(period_name{})->id, period_id{3});
  EXPECT_EQ(all.find({2026, 1})->id, period_id{2});
  EXPECT_EQ(all.find({2025, std::nullopt})->id, period_id{1});
  EXPECT_EQ(all.find({std::nullopt, 1})->id, period_id{2});
  EXPECT_EQ(all.find({2024, 1}), nullptr);
  EXPECT_EQ(all.find({2026, 9007199254740991}), nullptr);
}

} // namespace
} // namespace credence::period
