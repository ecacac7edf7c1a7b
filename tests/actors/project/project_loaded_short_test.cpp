#include "actors/listing/listing_actor.hpp"
#include "actors/project/project_actor.hpp"
#include "tests/actors/project/project_actor_fixture.hpp"

#include <algorithm>

namespace credence::project {
namespace {

/// A project with three votes of a period that is over, and tallied.
class ProjectLoadedShort : public ProjectActorTest {
protected:
  ProjectLoadedShort() {
    auto& stored = storage->projects[project_id{1}];
    for (int voter = 1; voter <= 3; ++voter)
      stored.votes.push_back({profile_id{voter}, period_id{1}, sentiment::bearish, 0, test::at_day(2026, 2, voter), 1});
    stored.reasons = {"long ago"};
    stored.tallied_through = 3;
  }
  ask<get_voters> all_voters() { return voters_of(1, {scope_kind::global, {}, {}, {}}); }
};

TEST_F(ProjectLoadedShort, VotesDoNotWaitForOlderOnes) {
  storage->history_waits = true;
  open();
  const auto first = cast(1, 1);
  resolve(write_result::stored);
  ASSERT_TRUE(yes(first));
  ASSERT_TRUE(yes(voters_of(1)));
  EXPECT_EQ(yes(voters_of(1))->totals.voters, 1) << "of the open period";
  EXPECT_EQ(no(cast(1, 1)), refusal_code::already_voted);
  EXPECT_EQ(storage->history_loads, 0) << "nobody has asked for what is older";
  const auto all = all_voters();
  const auto summary = put(others.projects, get_summary{project_id{1}, {}, 3, 0, {}});
  EXPECT_TRUE(open_still(all));
  const auto second = cast(2, 1);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(get<vote_cast>(storage->written.front().change).number, 5);
  resolve(write_result::stored);
  EXPECT_TRUE(yes(second));
  const auto third = cast(3, 1);
  answer_held();
  EXPECT_TRUE(open_still(all)) << "it waits for the votes taken in before it is answered, too";
  resolve(write_result::stored);
  ASSERT_TRUE(yes(all));
  EXPECT_EQ(yes(all)->totals.voters, 3);
  EXPECT_EQ(yes(all)->totals.bearish_votes, 3);
  EXPECT_EQ(yes(all)->totals.bullish_votes, 3);
  ASSERT_FALSE(yes(all)->entries.empty());
  ASSERT_FALSE(yes(all)->entries[0].bearish_reasons.empty());
  EXPECT_EQ(yes(all)->entries[0].bearish_reasons[0].reason, "long ago");
  ASSERT_TRUE(yes(summary));
  EXPECT_EQ(yes(summary)->lifetime.total, 6);
  EXPECT_TRUE(yes(all_voters()));
  EXPECT_EQ(storage->history_loads, 1) << "once for all who wait, and for those who come later";
}

TEST_F(ProjectLoadedShort, OlderVotesThatCannotBeReadFailTheReadsThatNeedThem) {
  storage->history_fails = true;
  open();
  EXPECT_EQ(trouble(all_voters()), failure::unavailable);
  EXPECT_TRUE(yes(voters_of(1)));
  const auto vote = cast(1, 1);
  resolve(write_result::stored);
  EXPECT_TRUE(yes(vote));
  const auto loads = storage->project_loads;
  storage->history_fails = false;
  const auto again = all_voters();
  ASSERT_TRUE(yes(again)) << "the next one tries again";
  EXPECT_EQ(yes(again)->totals.bearish_votes, 3);
  EXPECT_EQ(storage->project_loads, loads);
}

TEST_F(ProjectLoadedShort, WhoWaitsForOlderVotesIsToldWhenItsTimeIsUp) {
  storage->history_waits = true;
  open();
  get_voters question;
  question.project = project_id{1};
  question.in.kind = scope_kind::global;
  const auto hasty = put(others.projects, question, std::chrono::seconds{1});
  const auto patient = all_voters();
  std::this_thread::sleep_for(std::chrono::milliseconds{1010});
  advance(std::chrono::seconds{1});
  EXPECT_EQ(trouble(hasty), failure::timed_out) << "though nobody else came, and the votes did not";
  EXPECT_TRUE(open_still(patient));
  answer_held();
  EXPECT_TRUE(yes(patient));
}

TEST_F(ProjectLoadedShort, WhoWaitsForOlderVotesIsToldWhenItGivesUp) {
  storage->history_waits = true;
  open();
  const auto all = all_voters();
  for (int voter = 1; voter <= 4; ++voter)
    cast(voter, 1);
  for (int i = 0; i < 3; ++i)
    refuse_oldest();
  EXPECT_EQ(trouble(all), failure::unavailable);
  answer_held();
  storage->history_waits = false;
  storage->written.clear();
  const auto again = all_voters();
  ASSERT_TRUE(yes(again));
  EXPECT_EQ(yes(again)->totals.voters, 3);
}

TEST_F(ProjectLoadedShort, ItStaysUntilWhoWaitsForOlderVotesIsAnswered) {
  storage->history_waits = true;
  with->limits.live_projects_max = 1;
  open();
  const auto all = all_voters();
  EXPECT_TRUE(yes(voters_of(2))) << "which pushes the first one out";
  EXPECT_TRUE(open_still(all));
  answer_held();
  ASSERT_TRUE(yes(all));
  EXPECT_EQ(yes(all)->totals.voters, 3);
}

TEST_F(ProjectLoadedShort, OlderVotesComeInOnceALongReadHasEnded) {
  constexpr int voters = 40000; // some steps of a read
  auto& stored = storage->projects[project_id{1}];
  for (int voter = 1; voter <= voters; ++voter)
    stored.votes.push_back({profile_id{1000 + voter}, period_id{2}, sentiment::bullish, -1, test::test_now, 1});
  stored.tallied_through = 3 + voters;
  open();
  get_voters question;
  question.project = project_id{1};
  question.descending = false; // all have to be put in order
  ask<get_voters> current{question, sink, steady_clock::now() + std::chrono::seconds{100}};
  question.in.kind = scope_kind::global;
  ask<get_voters> all{question, sink, steady_clock::now() + std::chrono::seconds{100}};
  send(others.projects.to(), current);
  send(others.projects.to(), all);
  run();
  ASSERT_TRUE(yes(current));
  EXPECT_EQ(yes(current)->totals.voters, voters);
  EXPECT_EQ(yes(current)->totals.bearish_votes, 0);
  ASSERT_TRUE(yes(all));
  EXPECT_EQ(yes(all)->totals.voters, voters + 3);
  EXPECT_EQ(storage->history_loads, 1);
}

TEST_F(ProjectLoadedShort, TheBoardHasAllOfItsVotesAllTheSame) {
  open();
  const auto vote = cast(1, 1);
  resolve(write_result::stored);
  ASSERT_TRUE(yes(vote));
  const auto listing = put(others.listings, listing::get_listing{"project1", {}, 3});
  ASSERT_TRUE(yes(listing));
  EXPECT_EQ(yes(listing)->votes->lifetime.total, 4);
  EXPECT_EQ(yes(listing)->votes->in_period.total, 1);
}

} // namespace
} // namespace credence::project
