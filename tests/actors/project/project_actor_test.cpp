#include "actors/listing/listing_actor.hpp"
#include "actors/period/period_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/project/project_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::project {

struct ProjectActorTest : testing::Test, protected test::deterministic_world {
  /// The database refuses the oldest vote of project 1 under way, and nothing sent after it was written.
  void refuse_oldest() {
    const auto request = storage->written.front();
    storage->written.clear();
    send(request.from, write_outcome{request.stream, write_result::failed, 1, 0, 0});
    run();
  }
};

namespace {

TEST_F(ProjectActorTest, AnswersAVoteOnlyAfterItIsStored) {
  const auto vote = cast(1, 1);
  EXPECT_TRUE(open_still(vote));
  ASSERT_TRUE(yes(after(write_result::stored, vote)));
  EXPECT_EQ(yes(vote)->side, sentiment::bullish);
  ASSERT_TRUE(yes(vote)->new_balance);
  EXPECT_EQ(yes(vote)->new_balance->bullish_cast, 1);
  EXPECT_FALSE(yes(vote)->new_balance->can_vote);
}

TEST_F(ProjectActorTest, ShowsAVoteOnlyOnceItIsStored) {
  cast(1, 1);
  const auto page = voters_of(1);
  EXPECT_TRUE(open_still(page)) << "a read must wait for the votes taken in before it";
  ASSERT_TRUE(yes(after(write_result::stored, page)));
  EXPECT_EQ(yes(page)->totals.bullish_votes, 1);
}

TEST_F(ProjectActorTest, KeepsCommittedVotesReadableWhileAnOutcomeIsInDoubt) {
  cast(1, 1);
  resolve(write_result::stored);
  const auto doubtful = cast(2, 1);
  const auto page = voters_of(1);
  ASSERT_TRUE(yes(after(write_result::in_doubt, page)));
  EXPECT_EQ(yes(page)->totals.bullish_votes, 1);
  EXPECT_TRUE(open_still(doubtful));
  EXPECT_TRUE(yes(after(write_result::stored, doubtful)));
  EXPECT_EQ(yes(voters_of(1))->totals.bullish_votes, 2);
}

TEST_F(ProjectActorTest, RefusesASecondVoteInTheSamePeriodOnceTheFirstIsStored) {
  const auto first = cast(1, 1);
  const auto second = cast(1, 1, sentiment::bearish);
  EXPECT_TRUE(open_still(second)) << "there is no first vote yet";
  EXPECT_TRUE(yes(after(write_result::stored, first)));
  EXPECT_EQ(no(second), refusal_code::already_voted);
  EXPECT_EQ(no(cast(1, 1)), refusal_code::already_voted);
}

TEST_F(ProjectActorTest, TakesASecondVoteWhenTheFirstWasNotStored) {
  const auto first = cast(1, 1);
  const auto second = cast(1, 1, sentiment::bearish);
  EXPECT_EQ(trouble(after(write_result::not_written, first)), failure::unavailable);
  ASSERT_TRUE(yes(after(write_result::stored, second)));
  EXPECT_EQ(yes(second)->side, sentiment::bearish);
}

TEST_F(ProjectActorTest, RefusesArchivedAndUnknownProjects) {
  storage->projects[project_id{2}].archived = true;
  EXPECT_EQ(no(cast(1, 2)), refusal_code::project_archived);
  EXPECT_EQ(no(cast(1, 77)), refusal_code::project_not_found);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(ProjectActorTest, AVoteThatTheDatabaseRefusesFailsAlone) {
  const auto refused = cast(1, 1);
  const auto second = cast(2, 1);
  const auto third = cast(3, 1, sentiment::bearish);
  const auto page = voters_of(1);
  const auto loads = storage->project_loads;
  refuse_oldest();
  EXPECT_EQ(trouble(refused), failure::refused);
  EXPECT_TRUE(open_still(second));
  EXPECT_TRUE(open_still(third));
  ASSERT_EQ(storage->written.size(), 2u);
  EXPECT_EQ(get<vote_cast>(storage->written.front().change).number, 1) << "numbers stay gapless";
  resolve(write_result::stored);
  EXPECT_TRUE(yes(after(write_result::stored, second)));
  ASSERT_TRUE(yes(third));
  EXPECT_EQ(yes(third)->side, sentiment::bearish);
  ASSERT_TRUE(yes(page));
  EXPECT_EQ(yes(page)->totals.voters, 2);
  EXPECT_EQ(storage->project_loads, loads) << "nothing had to be loaded afresh";
  EXPECT_TRUE(open_still(cast(1, 1))) << "it may be tried again";
}

TEST_F(ProjectActorTest, WhoWasArchivedMeanwhileIsToldSoAndNobodyElseNotices) {
  const auto archived = cast(4, 1);
  const auto archived_too = cast(5, 1);
  const auto second_try = cast(4, 1);
  const auto live = cast(6, 1);
  storage->people[3].live = storage->people[4].live = false; // by another program
  refuse_oldest();
  EXPECT_EQ(no(archived), refusal_code::profile_not_live);
  EXPECT_EQ(no(archived_too), refusal_code::profile_not_live) << "it need not be refused by the database, too";
  EXPECT_EQ(no(second_try), refusal_code::profile_not_live);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_TRUE(yes(after(write_result::stored, live)));
  EXPECT_EQ(no(cast(4, 2)), refusal_code::profile_not_live) << "on whatever project";
}

TEST_F(ProjectActorTest, WhenEveryVoteIsRefusedItStartsAfreshFromStoredRows) {
  open();
  std::vector<ask<cast_vote>> lost;
  for (int i = 1; i <= 4; ++i)
    lost.push_back(cast(i, 1));
  for (int i = 0; i < 3; ++i)
    refuse_oldest();
  for (std::size_t i = 0; i < lost.size(); ++i)
    EXPECT_EQ(trouble(lost[i]), i < 2 ? failure::refused : failure::unavailable);
  EXPECT_EQ(storage->settles, 1) << "its writes are settled before it is loaded again";
  storage->written.clear();
  storage->projects[project_id{1}].votes.push_back(
    {profile_id{9}, period_id{2}, sentiment::bearish, -1, test::test_now});
  const auto page = voters_of(1);
  ASSERT_TRUE(yes(page));
  EXPECT_EQ(yes(page)->totals.bearish_votes, 1);
  EXPECT_EQ(yes(page)->totals.bullish_votes, 0);
}

TEST_F(ProjectActorTest, TakesNoMoreVotesOnceTheBoardKnowsThatItIsArchived) {
  EXPECT_TRUE(open_still(cast(1, 1)));
  projects.publish(project_id{1}, listing::project_index::status::archived);
  EXPECT_EQ(no(cast(2, 1)), refusal_code::project_archived);
  projects.publish(project_id{1}, listing::project_index::status::active);
  EXPECT_TRUE(open_still(cast(2, 1)));
}

TEST_F(ProjectActorTest, AVoterLearnsOfAVoteThatALostProjectHadStored) {
  open();
  const profile::get_balance question{profile_id{1}, project_id{1}, {2026, 2}};
  EXPECT_EQ(yes(put(others.profiles, question))->balance.bullish_cast, 0) << "it is in memory";
  cast(1, 1);
  // Stored, and the project is gone before it hears of it.
  storage->profiles[profile_id{1}].votes.push_back({project_id{1}, period_id{2}, sentiment::bullish});
  storage->profiles[profile_id{1}].as_of = ++last_global;
  const auto request = storage->written.front();
  storage->written.clear();
  kill_sender(request);
  const auto balance = put(others.profiles, question);
  ASSERT_TRUE(yes(balance));
  EXPECT_EQ(yes(balance)->balance.bullish_cast, 1);
}

TEST_F(ProjectActorTest, TakesVotesBackThatWereNeverSentAndGoesOn) {
  cast(1, 1);
  resolve(write_result::stored);
  const auto loads = storage->project_loads;
  const auto unsent = cast(2, 1);
  const auto behind_it = cast(3, 1);
  const auto page = voters_of(1);
  EXPECT_EQ(trouble(after(write_result::not_written, unsent)), failure::unavailable);
  EXPECT_EQ(trouble(behind_it), failure::unavailable);
  ASSERT_TRUE(yes(page)) << "what is committed stays readable";
  EXPECT_EQ(yes(page)->totals.bullish_votes, 1);
  // The outcome of the second one is about an attempt that is over.
  resolve(write_result::not_written);
  const auto again = cast(2, 1);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(get<vote_cast>(storage->written.front().change).number, 2) << "numbers stay gapless";
  EXPECT_TRUE(yes(after(write_result::stored, again)));
  EXPECT_EQ(yes(voters_of(1))->totals.bullish_votes, 2);
  EXPECT_EQ(storage->project_loads, loads) << "nothing had to be loaded afresh";
}

TEST_F(ProjectActorTest, AnswersUnavailableBeforeThereIsACalendar) {
  storage->periods_fail = true;
  EXPECT_EQ(trouble(voters_of(1)), failure::unavailable);
  EXPECT_EQ(trouble(cast(1, 1)), failure::unavailable);
  EXPECT_EQ(trouble(put(others.profiles, profile::get_balance{profile_id{1}, {}, {}})), failure::unavailable);
  storage->periods_fail = false;
  advance(std::chrono::seconds{1});
  EXPECT_TRUE(yes(voters_of(1)));
}

TEST_F(ProjectActorTest, SavesTalliesAgainThatCouldNotBeSaved) {
  cast(1, 1);
  resolve(write_result::stored);
  const auto next_save = [&] {
    for (int i = 0; i < 30 && storage->written.empty(); ++i)
      advance(std::chrono::milliseconds{200});
    return storage->written.empty() ? nullptr : get_if<project_tallied>(&storage->written.front().change);
  };
  const auto* first = test::there(next_save());
  EXPECT_EQ(first->through, 1);
  resolve(write_result::not_written);
  const auto* second = next_save();
  ASSERT_TRUE(second) << "figures that were not stored are stored later";
  EXPECT_EQ(second->through, 1);
  ASSERT_EQ(second->days.size(), 1u);
  EXPECT_EQ(second->days[0].bullish, 1);
  EXPECT_NE(storage->written.front().stream.attempt, 0u);
}

TEST_F(ProjectActorTest, PeopleAreReadAgainAndAgain) {
  open();
  storage->people[4].score = 2222;
  storage->people.push_back({profile_id{10}, std::int16_t{1500}, true});
  for (int i = 0; i < 3; ++i)
    advance(std::chrono::seconds{10});
  EXPECT_EQ(people.score_of(profile_id{5}), 2222);
  EXPECT_EQ(people.score_of(profile_id{10}), 1500);
}

TEST_F(ProjectActorTest, TurnsVotesAwayWhileTooManyChangesWaitForTheWriter) {
  open();
  status.queued = with->queue_max;
  EXPECT_EQ(trouble(cast(1, 1)), failure::overloaded);
  status.queued = 0;
  EXPECT_TRUE(open_still(cast(1, 1)));
}

TEST_F(ProjectActorTest, AnEntityThatKeepsFailingDoesNotSpin) {
  with->limits.live_projects_max = 1; // what the board has loaded is gone again
  open();
  storage->loads_fail = true;
  voters_of(1);
  voters_of(1);
  const auto loads = storage->project_loads;
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(trouble(voters_of(1)), failure::unavailable);
  EXPECT_LE(storage->project_loads, loads + 1);
}

TEST_F(ProjectActorTest, DecidesAgainWhenThePeriodClosedUnderAVote) {
  const auto first = cast(1, 1);
  const auto second = cast(2, 1, sentiment::bearish);
  ASSERT_EQ(storage->written.size(), 2u);
  // The advance commits first; the writer turns both votes away.
  const auto advanced = put(others.periods, period::advance_period{});
  auto advance_request = storage->written.back();
  storage->written.pop_back();
  resolve(write_result::stale);
  storage->written.clear();
  EXPECT_TRUE(open_still(first));
  send(advance_request.from, write_outcome{advance_request.stream, write_result::stored, 1, ++last_global});
  run();
  advance(std::chrono::milliseconds{10});
  ASSERT_EQ(storage->written.size(), 2u);
  const auto& again = get<vote_cast>(storage->written.front().change);
  EXPECT_EQ(again.in, period_id{3});
  EXPECT_EQ(again.number, 1);
  resolve(write_result::stored);
  EXPECT_TRUE(yes(after(write_result::stored, first)));
  EXPECT_TRUE(yes(second));
  scope third{scope_kind::period, {}, {}, {2026, 3}};
  EXPECT_EQ(yes(voters_of(1, third))->totals.voters, 2);
  scope second_period{scope_kind::period, {}, {}, {2026, 2}};
  EXPECT_EQ(yes(voters_of(1, second_period))->totals.voters, 0);
}

TEST_F(ProjectActorTest, RefusesWritesAtOnceWhileTheDatabaseIsAwayAndStillReads) {
  cast(1, 1);
  resolve(write_result::stored);
  status.writable = false;
  EXPECT_EQ(trouble(cast(2, 1)), failure::unavailable);
  EXPECT_TRUE(yes(voters_of(1)));
}

TEST_F(ProjectActorTest, TurnsQuestionsAwayPastItsBound) {
  with->limits.waiting_per_project_max = 2;
  const auto first = cast(1, 1);
  const auto second = cast(2, 1);
  const auto third = cast(3, 1);
  EXPECT_EQ(trouble(third), failure::overloaded);
  EXPECT_TRUE(yes(after(write_result::stored, first)));
  EXPECT_TRUE(open_still(cast(4, 1))) << "an answer gives its place back";
}

TEST_F(ProjectActorTest, StopsTheLongestUnaskedPastTheBoundAndLosesNothing) {
  with->limits.live_projects_max = 1;
  const auto vote = cast(1, 1);
  EXPECT_TRUE(yes(voters_of(2))) << "a second project pushes the first one out";
  // The first one goes only when its vote has its outcome.
  const auto held = voters_of(1);
  EXPECT_TRUE(open_still(held));
  storage->projects[project_id{1}].votes.push_back(
    {profile_id{1}, period_id{2}, sentiment::bullish, -1, test::test_now});
  while (!holds_alternative<vote_cast>(storage->written.front().change))
    storage->written.pop_front();
  EXPECT_TRUE(yes(after(write_result::stored, vote)));
  ASSERT_TRUE(yes(held));
  EXPECT_EQ(yes(held)->totals.bullish_votes, 1);
  EXPECT_GE(storage->project_loads, 3);
}

TEST_F(ProjectActorTest, AnswersUnavailableWhenItCannotBeLoaded) {
  with->limits.live_projects_max = 1;
  open();
  storage->loads_fail = true;
  EXPECT_EQ(trouble(voters_of(1)), failure::unavailable);
}

TEST_F(ProjectActorTest, AQuestionDroppedByADyingActorIsStillAnswered) {
  cast(1, 1); // nobody but the actors holds the question now
  EXPECT_EQ(sink.delivered, 0);
  kill(storage->written.front().from);
  storage->written.clear();
  run();
  EXPECT_EQ(sink.delivered, 1);
}

/// A project with three votes of a period that is over, and tallied.
struct ProjectLoadedShort : ProjectActorTest {
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
  const auto first = cast(1, 1);
  ASSERT_TRUE(yes(after(write_result::stored, first)));
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
  EXPECT_TRUE(yes(after(write_result::stored, second)));
  const auto third = cast(3, 1);
  answer_held();
  EXPECT_TRUE(open_still(all)) << "it waits for the votes taken in before it is answered, too";
  ASSERT_TRUE(yes(after(write_result::stored, all)));
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
  EXPECT_EQ(trouble(all_voters()), failure::unavailable);
  EXPECT_TRUE(yes(voters_of(1)));
  const auto vote = cast(1, 1);
  EXPECT_TRUE(yes(after(write_result::stored, vote)));
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

TEST_F(ProjectLoadedShort, WhoAsksForOneLongReadOvertakesWhoAsksForMany) {
  struct in_order final : answer_sink {
    void deliver(envelope_base* answered) noexcept override {
      came.push_back(answered);
      answered->deref();
    }
    std::vector<const envelope_base*> came;
  } order;
  auto& stored = storage->projects[project_id{1}];
  for (int voter = 1; voter <= 40000; ++voter)
    stored.votes.push_back({profile_id{1000 + voter}, period_id{2}, sentiment::bullish, -1, test::test_now, 1});
  stored.tallied_through = 3 + 40000;
  open();
  const auto ask_as = [&](std::uint64_t who) {
    get_voters wanted;
    wanted.project = project_id{1};
    wanted.descending = false; // all have to be put in order
    ask<get_voters> question{wanted, order, steady_clock::now() + std::chrono::seconds{100}};
    question.get()->speak_for({asker_rank::anonymous, who});
    send(others.projects.to(), question);
    return question;
  };
  std::vector<ask<get_voters>> many;
  for (int i = 0; i < 70; ++i)
    many.push_back(ask_as(1));
  const auto other = ask_as(2);
  run();
  EXPECT_EQ(
    std::count_if(many.begin(), many.end(), [](const auto& each) { return trouble(each) == failure::too_many; }), 5)
    << "64 wait behind the one that has begun";
  ASSERT_TRUE(yes(other));
  const auto at = std::find(order.came.begin(), order.came.end(), other.get());
  const auto answered = std::count_if(many.begin(), many.end(), [&](const auto& each) {
    return yes(each) && std::find(order.came.begin(), at, each.get()) != at;
  });
  EXPECT_LE(answered, 2) << "the one that had begun, and one in turn";
}

TEST_F(ProjectLoadedShort, TheBoardHasAllOfItsVotesAllTheSame) {
  const auto vote = cast(1, 1);
  ASSERT_TRUE(yes(after(write_result::stored, vote)));
  const auto listing = put(others.listings, listing::get_listing{"project1", {}, 3});
  ASSERT_TRUE(yes(listing));
  EXPECT_EQ(yes(listing)->votes->lifetime.total, 4);
  EXPECT_EQ(yes(listing)->votes->in_period.total, 1);
}

} // namespace
} // namespace credence::project
