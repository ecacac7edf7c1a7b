#include "actors/chain/follow_memory.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

using profiles = std::set<profile_id>;

TEST(TouchedProfiles, AreThoseOfTheStepsThatGo) {
  recently_touched<profile_id> memory;
  memory.applied(10, 5, {{1}});
  memory.applied(11, 5, {{2}, {3}});
  memory.applied(15, 5, {{4}});
  EXPECT_EQ(memory.taken_back(10), (profiles{{2}, {3}, {4}}));
  EXPECT_EQ(memory.taken_back(10), profiles{}) << "once";
  EXPECT_EQ(memory.taken_back(5), (profiles{{1}}));
}

TEST(TouchedProfiles, AreForgottenOnceTheyAreFinal) {
  recently_touched<profile_id> memory;
  memory.applied(10, 5, {{1}});
  memory.applied(11, 10, {{2}});
  EXPECT_EQ(memory.taken_back(0), (profiles{{2}}));
  memory.applied(20, 0, {{3}});
  memory.applied(20 + undo_blocks_max, 0, {});
  EXPECT_EQ(memory.taken_back(0), profiles{}) << "so many are never taken back";
}

refused_event refused(int log) { return {{}, log, "refused:a_constraint"}; }

TEST(RefusalSearch, TriesUntilATrialFindsNothing) {
  refusal_search search;
  EXPECT_FALSE(search.trying());
  ASSERT_TRUE(search.refused());
  search.found({});
  EXPECT_TRUE(search.trying());
  blocks_applied step;
  step.before[0] = std::byte{7};
  search.keep(step);
  search.trial_ended();
  search.found({refused(1)});
  EXPECT_TRUE(search.trying()) << "there may be others";
  EXPECT_TRUE(search.step_behind(step.before)) << "without asking the node";
  EXPECT_FALSE(search.step_behind(digest32{})) << "following stands elsewhere";
  search.trial_ended();
  search.found({refused(1), refused(2)});
  EXPECT_TRUE(search.trying());
  search.trial_ended();
  search.found({refused(1), refused(2)});
  EXPECT_FALSE(search.trying());
  EXPECT_EQ(search.known().size(), 2u);
  search.over();
  EXPECT_TRUE(search.known().empty());
  EXPECT_FALSE(search.step_behind(step.before));
}

TEST(RefusalSearch, EndsWhereTheStepIsRefusedAndNothingInItIsWrong) {
  refusal_search search;
  for (int times = 1; times < refusal_search::fruitless_max; ++times) {
    ASSERT_TRUE(search.refused());
    search.found({});
    search.trial_ended();
    search.found({});
    EXPECT_FALSE(search.trying()) << "the step itself comes next";
  }
  EXPECT_FALSE(search.refused());
}

} // namespace
} // namespace credence::chain
