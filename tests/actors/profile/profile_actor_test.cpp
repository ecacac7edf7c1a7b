#include "actors/profile/profile_state.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::profile {
namespace {

class ProfileActorTest : public testing::Test, protected test::deterministic_world {
protected:
  ask<get_balance> balance_of(int profile, std::optional<int> project = {}, period::period_name in = {}) {
    get_balance question{profile_id{profile}, {}, in};
    if (project)
      question.project = project_id{*project};
    return put(others.profiles, question);
  }
};

TEST_F(ProfileActorTest, CountsWhatWasCastInThePeriod) {
  auto& stored = storage->profiles[profile_id{1}];
  stored.votes = {{project_id{1}, period_id{1}, sentiment::bullish},
                  {project_id{1}, period_id{2}, sentiment::bearish},
                  {project_id{2}, period_id{2}, sentiment::bullish}};
  open();
  const auto now = balance_of(1, 1);
  ASSERT_TRUE(yes(now));
  EXPECT_EQ(yes(now)->balance.bullish_cast, 1);
  EXPECT_EQ(yes(now)->balance.bearish_cast, 1);
  EXPECT_EQ(yes(now)->vote, sentiment::bearish);
  EXPECT_FALSE(yes(now)->balance.can_vote);
  EXPECT_TRUE(yes(balance_of(1, 3))->balance.can_vote);
  EXPECT_TRUE(yes(balance_of(1))->balance.can_vote);
  const auto before = balance_of(1, 1, {2026, 1});
  EXPECT_EQ(yes(before)->vote, sentiment::bullish);
  EXPECT_FALSE(yes(balance_of(1, 3, {2026, 1}))->balance.can_vote) << "that period is over";
}

TEST_F(ProfileActorTest, AllocationsWereResetWhenThePeriodWasClosed) {
  storage->periods[0].closed_at = test::at_day(2026, 2, 20, 7); // planned to end on March 1st
  open();
  EXPECT_EQ(yes(balance_of(1, {}, {2026, 1}))->balance.reset_at, test::at_day(2026, 2, 20, 7));
  EXPECT_EQ(yes(balance_of(1))->balance.reset_at, test::at_day(2026, 4, 1)) << "as planned";
}

TEST_F(ProfileActorTest, RefusesPeriodsAndProjectsThatDoNotExist) {
  open();
  EXPECT_EQ(no(balance_of(1, {}, {1999, 1})), refusal_code::period_not_found);
  EXPECT_EQ(no(balance_of(1, 88)), refusal_code::project_not_found);
}

TEST_F(ProfileActorTest, CannotVoteOnAnArchivedProject) {
  storage->projects[project_id{2}].archived = true;
  open();
  EXPECT_FALSE(yes(balance_of(1, 2))->balance.can_vote);
}

TEST_F(ProfileActorTest, AnArchivedProfileCannotVote) {
  storage->profiles[profile_id{1}].archived = true;
  open();
  EXPECT_FALSE(yes(balance_of(1))->balance.can_vote);
}

TEST_F(ProfileActorTest, AVoteThatTheLoadAlreadyHeldIsNotCountedTwice) {
  stored_profile stored{true, false, 40, 0, {{project_id{1}, period_id{2}, sentiment::bullish}}};
  profile_state state{stored};
  state.learn({project_id{1}, period_id{2}, sentiment::bullish}, 40);
  state.learn({project_id{1}, period_id{2}, sentiment::bullish}, 41);
  state.learn({project_id{2}, period_id{2}, sentiment::bullish}, 41);
  EXPECT_EQ(state.votes_in(period_id{2}).size(), 2u);
}

TEST_F(ProfileActorTest, ACommittedVoteIsConfirmedAlsoWhenTheVoterCannotBeLoaded) {
  open();
  const auto vote = cast(1, 1);
  storage->loads_fail = true;
  resolve(write_result::stored);
  ASSERT_TRUE(yes(vote));
  EXPECT_FALSE(yes(vote)->new_balance);
}

TEST_F(ProfileActorTest, TooManyWaitingQuestionsOfOneProfileAreItsOwnFault) {
  with->limits.waiting_per_profile_max = 0;
  open();
  EXPECT_EQ(trouble(balance_of(1)), failure::too_many);
}

} // namespace
} // namespace credence::profile
