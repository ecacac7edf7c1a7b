#include "actors/kernel/recent_changes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence {
namespace {

using namespace std::chrono_literals;

/// `12 committed, 11 given_up`.
std::string shown(const recent_changes& of) {
  std::string out;
  for (const auto& each : of.list())
    out += (out.empty() ? "" : ", ") + std::to_string(each.number) + " "
           + std::string{change_fate_names[static_cast<std::size_t>(each.fate)]};
  return out;
}

TEST(RecentChanges, AreNoneAtFirst) {
  recent_changes changes;
  changes.settled(3, change_fate::committed);
  changes.settled_all(change_fate::given_up);
  EXPECT_TRUE(changes.list().empty());
}

TEST(RecentChanges, TellNameTimeAndOutcomeNewestFirst) {
  recent_changes changes;
  changes.sent("vote_cast", timestamp{1s});
  changes.sent("xp_tipped", timestamp{2s});
  changes.settled(1, change_fate::committed);
  const auto told = changes.list();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].fact, "xp_tipped");
  EXPECT_EQ(told[0].number, 2u);
  EXPECT_EQ(told[0].at, timestamp{2s});
  EXPECT_EQ(told[0].fate, change_fate::under_way);
  EXPECT_EQ(told[1].fact, "vote_cast");
  EXPECT_EQ(told[1].fate, change_fate::committed);
}

TEST(RecentChanges, GetTheirOutcomesInTheirOrder) {
  recent_changes changes;
  for (int i = 0; i < 4; ++i)
    changes.sent("vote_cast", {});
  changes.settled(2, change_fate::committed);
  changes.settled(1, change_fate::refused);
  changes.settled_all(change_fate::given_up);
  EXPECT_EQ(shown(changes), "4 given_up, 3 refused, 2 committed, 1 committed");
  changes.sent("vote_cast", {});
  changes.settled(9, change_fate::committed);
  EXPECT_EQ(shown(changes), "5 committed, 4 given_up, 3 refused, 2 committed, 1 committed")
    << "no outcome of what was not sent";
}

TEST(RecentChanges, AreTheLastSixteenHoweverManyAreUnderWay) {
  recent_changes changes;
  for (int i = 0; i < 40; ++i)
    changes.sent("vote_cast", {});
  changes.settled(30, change_fate::committed);
  const auto told = changes.list();
  ASSERT_EQ(told.size(), recent_changes::kept_max);
  EXPECT_EQ(told.front().number, 40u);
  EXPECT_EQ(told.back().number, 25u);
  EXPECT_EQ(told[9].fate, change_fate::under_way) << "number 31";
  EXPECT_EQ(told[10].fate, change_fate::committed) << "number 30";
}

} // namespace
} // namespace credence
