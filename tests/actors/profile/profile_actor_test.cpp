#include "actors/period/period_actor.hpp"
#include "actors/profile/profile_actor.hpp"
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

TEST(ProfileState, AVoteThatTheLoadAlreadyHeldIsNotCountedTwice) {
  profile_state state;
  state.take_in(period_id{2}, {true, false, 40, {{project_id{1}, period_id{2}, sentiment::bullish}}});
  state.learn({project_id{1}, period_id{2}, sentiment::bullish});
  state.learn({project_id{2}, period_id{2}, sentiment::bullish});
  state.learn({project_id{2}, period_id{2}, sentiment::bullish});
  EXPECT_EQ(state.votes_in(period_id{2}).size(), 2u);
}

TEST(ProfileState, KeepsThePeriodsAskedForLast) {
  profile_state state;
  const auto most = static_cast<int>(profile_state::periods_max);
  for (int in = 1; in <= most; ++in)
    state.take_in(period_id{in}, {});
  state.votes_in(period_id{1});
  state.take_in(period_id{most + 1}, {});
  EXPECT_TRUE(state.knows(period_id{1}));
  EXPECT_FALSE(state.knows(period_id{2}));
  EXPECT_TRUE(state.knows(period_id{most + 1}));
}

TEST_F(ProfileActorTest, ACommittedVoteIsConfirmedAlsoWhenTheVoterCannotBeLoaded) {
  open();
  const auto vote = cast(1, 1);
  storage->loads_fail = true;
  resolve(write_result::stored);
  ASSERT_TRUE(yes(vote));
  EXPECT_FALSE(yes(vote)->new_balance);
}

TEST_F(ProfileActorTest, AnOldPeriodIsReadWhenSomebodyAsksForIt) {
  auto& stored = storage->profiles[profile_id{1}];
  stored.votes = {{project_id{1}, period_id{1}, sentiment::bullish}, {project_id{1}, period_id{2}, sentiment::bearish}};
  open();
  ASSERT_TRUE(yes(balance_of(1)));
  EXPECT_EQ(storage->profile_loads, 1);
  EXPECT_EQ(yes(balance_of(1, {}, {2026, 1}))->balance.bullish_cast, 1);
  EXPECT_EQ(yes(balance_of(1, {}, {2026, 1}))->balance.bearish_cast, 0);
  EXPECT_EQ(yes(balance_of(1))->balance.bearish_cast, 1);
  EXPECT_EQ(storage->profile_loads, 2) << "each period is read once";
}

TEST(ProfileState, APeriodThatOpensWhileTheVoterIsInMemoryBeginsEmpty) {
  profile_state state{period_id{2}};
  state.take_in(period_id{2}, {true, false, 40, {{project_id{1}, period_id{2}, sentiment::bullish}}});
  EXPECT_FALSE(state.begin(period_id{1})) << "an older one";
  ASSERT_TRUE(state.begin(period_id{3}));
  state.learn({project_id{1}, period_id{3}, sentiment::bearish});
  EXPECT_EQ(state.votes_in(period_id{3}).size(), 1u);
  EXPECT_EQ(state.votes_in(period_id{2}).size(), 1u);
}

TEST(ProfileState, APeriodThatHadToGoIsReadAgain) {
  profile_state state{period_id{1}};
  state.take_in(period_id{1}, {});
  const auto most = static_cast<int>(profile_state::periods_max);
  for (int in = 2; in <= most + 2; ++in)
    EXPECT_TRUE(state.begin(period_id{in}));
  ASSERT_FALSE(state.knows(period_id{2}));
  EXPECT_FALSE(state.begin(period_id{2})) << "votes were heard of and forgotten";
}

TEST(ProfileState, APeriodThatCouldNotBeReadIsReadTheNextTime) {
  profile_state state{period_id{2}};
  EXPECT_FALSE(state.begin(period_id{3}));
  state.learn({project_id{1}, period_id{3}, sentiment::bearish}); // forgotten, as the read failed
  state.take_in(period_id{2}, {true, false, 40, {}});
  EXPECT_FALSE(state.begin(period_id{3}));
}

TEST_F(ProfileActorTest, ANewPeriodIsNotReadForWhoIsInMemory) {
  open();
  ASSERT_TRUE(yes(balance_of(1)));
  const auto later = put(others.periods, period::advance_period{});
  resolve(write_result::stored);
  ASSERT_TRUE(yes(later));
  const auto vote = cast(1, 1);
  resolve(write_result::stored);
  ASSERT_TRUE(yes(vote));
  EXPECT_EQ(yes(vote)->new_balance->bullish_cast, 1);
  EXPECT_EQ(yes(balance_of(1))->balance.bullish_cast, 1);
  EXPECT_EQ(storage->profile_loads, 1);
}

TEST_F(ProfileActorTest, ALoadThatFailsIsTriedAgainForTheNextWhoAsks) {
  open();
  storage->loads_fail = true;
  EXPECT_EQ(trouble(balance_of(1)), failure::unavailable);
  storage->loads_fail = false;
  EXPECT_TRUE(yes(balance_of(1)));
}

class ColdVoters : public ProfileActorTest {
protected:
  static constexpr int voters = 9;
  /// Everybody votes on that project, and one batch has all of it.
  std::vector<ask<project::cast_vote>> all_vote_on(int project) {
    std::vector<ask<project::cast_vote>> votes;
    for (int voter = 1; voter <= voters; ++voter)
      votes.push_back(cast(voter, project, voter % 2 ? sentiment::bullish : sentiment::bearish));
    const auto stream = storage->written.front().stream;
    const auto listener = storage->written.front().from;
    for (const auto& each : storage->written) {
      const auto& vote = get<project::vote_cast>(each.change);
      storage->profiles[vote.voter].votes.push_back({vote.project, vote.in, vote.side});
    }
    storage->written.clear();
    send(listener, write_outcome{stream, write_result::stored, voters, ++last_global, 0});
    run();
    return votes;
  }
  static std::int64_t profiles_spawned() { return ops::the_metrics().of(ops::actor_kind::profile).spawned.value(); }
};

TEST_F(ColdVoters, AreToldTheirBalancesByOneStatementAndGetNoActor) {
  storage->profiles[profile_id{2}].votes = {{project_id{3}, period_id{2}, sentiment::bullish},
                                            {project_id{3}, period_id{1}, sentiment::bullish}};
  open();
  const auto before = profiles_spawned();
  const auto votes = all_vote_on(1);
  EXPECT_EQ(storage->vote_counts, 1);
  EXPECT_EQ(storage->profile_loads, 0);
  EXPECT_EQ(profiles_spawned(), before);
  for (const auto& vote : votes) {
    ASSERT_TRUE(yes(vote));
    ASSERT_TRUE(yes(vote)->new_balance);
    EXPECT_EQ(yes(vote)->new_balance->bullish_cast + yes(vote)->new_balance->bearish_cast,
              vote->voter == profile_id{2} ? 2 : 1);
    EXPECT_EQ(yes(vote)->new_balance->reset_at, test::at_day(2026, 4, 1));
    EXPECT_FALSE(yes(vote)->new_balance->can_vote);
  }
}

TEST_F(ColdVoters, WhoVoteAgainGetAnActorThatIsToldOfTheirVotes) {
  open();
  all_vote_on(1);
  all_vote_on(2);
  EXPECT_EQ(storage->profile_loads, voters);
  const auto third = all_vote_on(3);
  EXPECT_EQ(storage->profile_loads, voters) << "they are in memory";
  EXPECT_EQ(storage->vote_counts, 1);
  for (const auto& vote : third)
    EXPECT_EQ(yes(vote)->new_balance->bullish_cast + yes(vote)->new_balance->bearish_cast, 3);
}

TEST_F(ColdVoters, AreToldTheSameAsThoseInMemory) {
  open();
  balance_of(1); // is in memory from here on
  const auto votes = all_vote_on(1);
  const auto warm = *yes(votes[0])->new_balance;
  const auto cold = *yes(votes[2])->new_balance;
  EXPECT_EQ(storage->vote_counts, 1);
  EXPECT_EQ(std::tie(warm.bullish_cast, warm.bearish_cast, warm.reset_at, warm.can_vote),
            std::tie(cold.bullish_cast, cold.bearish_cast, cold.reset_at, cold.can_vote));
}

TEST_F(ProfileActorTest, TooManyWaitingQuestionsOfOneProfileAreItsOwnFault) {
  with->limits.waiting_per_profile_max = 0;
  open();
  EXPECT_EQ(trouble(balance_of(1)), failure::too_many);
}

} // namespace
} // namespace credence::profile
