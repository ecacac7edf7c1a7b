#include "actors/score/score_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::score {
namespace {

using namespace std::chrono_literals;
using test::at_day;

struct ScoreActor : testing::Test, protected test::deterministic_world {
  ScoreActor() {
    test::test_now = at_day(2026, 3, 10, 12);
    rows().epoch = today;
  }
  ~ScoreActor() override { test::test_now = at_day(2026, 3, 10, 12); }

  stored_work& rows() { return storage->score_work; }
  void mark(int user, std::int64_t mark, std::int64_t vouchers = 0) {
    dirty_user who{user_id{user}, mark, "api review " + std::to_string(mark), {}};
    who.inputs.vouchers = vouchers;
    rows().users.push_back(who);
    rows().last_mark = mark;
  }
  template <class Change>
  Change oldest() {
    return get<Change>(storage->written.front().change);
  }
  std::size_t under_way() const { return storage->written.size(); }
  void a_second() { advance(1s); }

  const day today = std::chrono::floor<std::chrono::days>(at_day(2026, 3, 10));
};

TEST_F(ScoreActor, WritesTheScoreOfWhoeverIsMarkedWithItsElementsAndItsCause) {
  mark(7, 41, 14);
  a_second();
  ASSERT_EQ(under_way(), 1u);
  const auto change = oldest<score_changed>();
  EXPECT_EQ(change.user, user_id{7});
  EXPECT_EQ(change.score, 1294);
  ASSERT_EQ(change.points.size(), element_count);
  EXPECT_EQ(change.points[static_cast<std::size_t>(element::vouchers)], 94);
  EXPECT_EQ(change.on, today);
  EXPECT_EQ(change.cause, "api review 41");
  EXPECT_EQ(change.mark, 41);
  a_second();
  EXPECT_EQ(under_way(), 1u) << "the next look comes when this is in";
  rows().users.clear();
  resolve(write_result::stored);
  a_second();
  EXPECT_EQ(under_way(), 0u);
}

TEST_F(ScoreActor, TellsOnesProgress) {
  storage->score.dirty = true;
  mark(7, 41);
  EXPECT_EQ(*yes(put(others.scores, get_progress{user_id{7}})), progress::queued);
  a_second();
  EXPECT_EQ(*yes(put(others.scores, get_progress{user_id{7}})), progress::calculating);
  EXPECT_EQ(*yes(put(others.scores, get_progress{user_id{8}})), progress::queued);
  rows().users.clear();
  resolve(write_result::stored);
  storage->score.dirty = false;
  EXPECT_EQ(*yes(put(others.scores, get_progress{user_id{7}})), progress::idle);
}

TEST_F(ScoreActor, WorksOffTheMarksOfTheOldDayBeforeANewOneBegins) {
  mark(7, 41);
  open();
  test::test_now = at_day(2026, 3, 11);
  a_second();
  EXPECT_EQ(oldest<score_changed>().on, today) << "as of the day that has ended";
  rows().users.clear();
  mark(8, 42); // came since: of the new day
  resolve(write_result::stored);
  a_second();
  ASSERT_EQ(under_way(), 1u);
  EXPECT_EQ(oldest<epoch_begun>().on, today + std::chrono::days{1});
}

TEST_F(ScoreActor, GoesThroughThePagesOfAnEpochAndOnlyThenOn) {
  mark(7, 41);
  rows().begun = open_epoch{today + std::chrono::days{1}, 500};
  open();
  test::test_now = at_day(2026, 3, 11);
  a_second();
  ASSERT_EQ(under_way(), 1u);
  EXPECT_EQ(oldest<epoch_page_turned>().step, 500) << "where it was left";
  rows().begun->step = 501;
  resolve(write_result::stored);
  ASSERT_EQ(under_way(), 1u) << "at once";
  EXPECT_EQ(oldest<epoch_page_turned>().step, 501);
  rows().begun.reset();
  rows().epoch = today + std::chrono::days{1};
  resolve(write_result::stored);
  ASSERT_EQ(under_way(), 1u);
  EXPECT_EQ(oldest<score_changed>().on, today + std::chrono::days{1});
}

TEST_F(ScoreActor, NobodyElseWaitsForAScoreThatIsRefused) {
  mark(7, 41);
  mark(8, 42);
  a_second();
  ASSERT_EQ(under_way(), 2u);
  resolve(write_result::failed);
  storage->written.clear();
  a_second();
  ASSERT_EQ(under_way(), 1u);
  EXPECT_EQ(oldest<score_changed>().user, user_id{8});
}

TEST_F(ScoreActor, SendsAFewScoresAtATimeAsVotesWaitBehindThem) {
  constexpr int users = 60;
  for (int user = 1; user <= users; ++user)
    mark(user, 40 + user);
  a_second();
  rows().users.clear();
  int written = 0;
  for (std::size_t at_once = under_way(); at_once > 0; at_once = under_way()) {
    EXPECT_LE(at_once, 50u);
    EXPECT_EQ(oldest<score_changed>().user, user_id{written + 1}) << "in their order";
    for (; at_once > 0; --at_once, ++written)
      resolve(write_result::stored);
  }
  EXPECT_EQ(written, users);
}

TEST_F(ScoreActor, TriesAgainWhatWasNotWritten) {
  mark(7, 41);
  a_second();
  resolve(write_result::not_written);
  a_second();
  ASSERT_EQ(under_way(), 1u);
  EXPECT_EQ(oldest<score_changed>().user, user_id{7});
}

TEST_F(ScoreActor, RowsThatNoRuleAllowsHoldUpNobody) {
  mark(7, 41);
  rows().users.front().inputs.vouches = {wei{5}, uint256{0}, wei{0},
                                         today - std::chrono::days{30}}; // sums that an epoch has not visited
  mark(8, 42);
  a_second();
  ASSERT_EQ(under_way(), 1u);
  EXPECT_EQ(oldest<score_changed>().user, user_id{8});
}

TEST_F(ScoreActor, MarksEverybodyForAnotherModelOfVouchesBeforeItWorksAnythingOut) {
  scoring.vouches = vouch_model::hardened;
  mark(7, 41, 14);
  a_second();
  ASSERT_EQ(under_way(), 1u);
  EXPECT_EQ(oldest<vouch_model_turned>().model, vouch_model::hardened);
  rows().model = vouch_model::hardened;
  rows().model_in_progress = true;
  resolve(write_result::stored);
  ASSERT_EQ(under_way(), 1u) << "the next piece, at once";
  EXPECT_EQ(oldest<vouch_model_turned>().model, vouch_model::hardened);
  rows().model_in_progress = false;
  resolve(write_result::stored);
  ASSERT_EQ(under_way(), 1u);
  EXPECT_EQ(oldest<score_changed>().user, user_id{7});
}

TEST_F(ScoreActor, CountsInPiecesWhatAChangeLeftInTurnWithScores) {
  rows().recount_due = true;
  mark(7, 41);
  a_second();
  for (int piece = 0; piece < 10; ++piece) {
    ASSERT_EQ(under_way(), 1u) << "alone, and one after the other at once";
    EXPECT_EQ(oldest<records_recounted>().most, recount_piece_rows);
    resolve(write_result::stored);
  }
  ASSERT_EQ(under_way(), 1u);
  EXPECT_EQ(oldest<score_changed>().user, user_id{7}) << "whoever is marked waits for no whole recount";
  rows().users.clear();
  resolve(write_result::stored);
  for (int piece = 0; piece < 30; ++piece) { // where there is nothing else to do
    ASSERT_EQ(under_way(), 1u);
    oldest<records_recounted>();
    resolve(write_result::stored);
  }
  rows().recount_due = false;
  resolve(write_result::stored);
  EXPECT_EQ(under_way(), 0u);
}

TEST_F(ScoreActor, RestsBehindEachStepWhileClientsWait) {
  rows().recount_due = true;
  mark(7, 41);
  open();
  others.all_questions = std::make_shared<gate>(10);
  ASSERT_TRUE(others.all_questions->enter());
  a_second();
  EXPECT_EQ(oldest<records_recounted>().most, recount_piece_rows / 5) << "their writes wait for less";
  resolve(write_result::stored);
  EXPECT_EQ(under_way(), 0u) << "their writes come first";
  rows().recount_due = false;
  advance(100ms);
  ASSERT_EQ(under_way(), 1u);
  oldest<score_changed>();
  resolve(write_result::stored);
  EXPECT_EQ(under_way(), 0u) << "scores as well";
  others.all_questions->leave();
}

TEST_F(ScoreActor, ARecountThatTheDatabaseRefusesHoldsUpNoScoreAndNoEpoch) {
  rows().recount_due = true;
  a_second();
  oldest<records_recounted>();
  resolve(write_result::failed);
  mark(7, 41);
  a_second();
  ASSERT_EQ(under_way(), 1u);
  EXPECT_EQ(oldest<score_changed>().user, user_id{7});
  rows().users.clear();
  test::test_now = at_day(2026, 3, 11);
  resolve(write_result::stored);
  a_second();
  ASSERT_EQ(under_way(), 1u);
  EXPECT_EQ(oldest<epoch_begun>().on, today + std::chrono::days{1});
}

TEST_F(ScoreActor, GoesByTheModelOfTheSetting) {
  scoring.vouches = vouch_model::hardened;
  rows().model = vouch_model::hardened;
  storage->score.inputs.vouches = {
    wei{1'000'000'000'000'000'000},
    uint256{1'000'000'000'000'000'000} * uint256{(today - 90 * 24h).time_since_epoch() / 24h}, wei{0}, today};
  storage->score.on = today;
  const auto pending = put(others.scores, get_breakdown{user_id{7}});
  ASSERT_TRUE(yes(pending));
  EXPECT_EQ(yes(pending)->of(element::vouched_ether).points, 135) << "270 * 45 / 90";
  EXPECT_EQ(yes(pending)->vouches, vouch_model::hardened);
}

TEST_F(ScoreActor, ExplainsAScore) {
  storage->score.inputs.vouchers = 14;
  storage->score.on = today;
  const auto pending = put(others.scores, get_breakdown{user_id{7}});
  ASSERT_TRUE(yes(pending));
  EXPECT_EQ(yes(pending)->score, 1294);
  EXPECT_EQ(yes(pending)->on, today);
  storage->score.ahead = true;
  EXPECT_EQ(trouble(put(others.scores, get_breakdown{user_id{7}})), failure::unavailable) << "an epoch is due";
}

} // namespace
} // namespace credence::score
