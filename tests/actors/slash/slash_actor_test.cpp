#include "actors/slash/slash_actor.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::slash {
namespace {

using namespace std::chrono_literals;

/// Profiles 1 to 9 have 1100, 1200 and so on to 1900 points.
class SlashActorTest : public testing::Test, protected test::deterministic_world {
protected:
  ask<open_slash> order(int author, int wallet) {
    open_slash out;
    out.author = profile_id{author};
    out.subject.wallet.emplace().bytes[0] = static_cast<std::byte>(wallet);
    out.amount = 100;
    out.lasts = 1h;
    out.comment = "because";
    return put(others.slashes, out);
  }
  ask<cast_slash_vote> vote(int on, int voter, vote_side side = vote_side::slash) {
    return put(others.slashes, cast_slash_vote{slash_id{on}, profile_id{voter}, side});
  }
  ask<cancel_slash> cancel(int which) { return put(others.slashes, cancel_slash{slash_id{which}}); }
  void opened(int author, int wallet) {
    const auto pending = order(author, wallet);
    resolve(write_result::stored);
    ASSERT_TRUE(yes(pending));
    storage->slashes.open.push_back({*yes(pending), 0, {}});
    storage->slashes.last = yes(pending)->id;
  }
  const slash_closed& closing_written() { return get<slash_closed>(storage->written.front().change); }

  const timestamp end = test::test_now + 1h;
};

TEST_F(SlashActorTest, ConfirmsASlashOnceItIsStored) {
  open();
  const auto pending = order(9, 1);
  EXPECT_TRUE(open_still(pending));
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(get<slash_opened>(storage->written.front().change).record.created_at, test::test_now);
  resolve(write_result::stored);
  ASSERT_TRUE(yes(pending));
  EXPECT_EQ(yes(pending)->id, slash_id{1});
  EXPECT_EQ(yes(pending)->ends_at(), end);
  EXPECT_FALSE(yes(pending)->closed);
}

TEST_F(SlashActorTest, NobodySlashesOverTheApiWhereEventsMakeSlashes) {
  open();
  opened(9, 1);
  opened(8, 2);
  with->followed.add(chain::record_kind::slash);
  EXPECT_EQ(no(order(7, 3)), refusal_code::followed_from_chain);
  EXPECT_EQ(no(vote(3, 8)), refusal_code::followed_from_chain);
  EXPECT_EQ(no(cancel(3)), refusal_code::followed_from_chain);
  EXPECT_TRUE(storage->written.empty());
  // Those that were open before go on.
  const auto voted = vote(1, 8);
  resolve(write_result::stored);
  ASSERT_TRUE(yes(voted));
  EXPECT_EQ(yes(voted)->weight, 3);
  const auto cancelled = cancel(2);
  resolve(write_result::stored);
  ASSERT_TRUE(yes(cancelled));
  EXPECT_EQ(yes(cancelled)->closed->how, verdict::cancelled);
  EXPECT_EQ(no(vote(2, 9)), refusal_code::followed_from_chain)
    << "closed: what is left with that id is up to the chain";
  test::test_now = end;
  advance(1s);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(closing_written().slash, slash_id{1});
  EXPECT_EQ(closing_written().end.votes.slash, 3);
}

TEST_F(SlashActorTest, AnswersAVoteWithItsWeight) {
  open();
  opened(9, 1);
  const auto pending = vote(1, 8, vote_side::defend);
  EXPECT_TRUE(open_still(pending));
  resolve(write_result::stored);
  ASSERT_TRUE(yes(pending));
  EXPECT_EQ(yes(pending)->weight, 3);
  EXPECT_EQ(yes(pending)->side, vote_side::defend);
}

TEST_F(SlashActorTest, AVoteThatChangesNothingWritesNothing) {
  open();
  opened(9, 1);
  const auto first = vote(1, 8);
  const auto same = vote(1, 8);
  EXPECT_TRUE(open_still(same)) << "the first one is not on disk yet";
  ASSERT_EQ(storage->written.size(), 1u);
  resolve(write_result::stored);
  EXPECT_TRUE(yes(first));
  ASSERT_TRUE(yes(same));
  EXPECT_EQ(yes(same)->weight, 3);
  const auto later = vote(1, 8);
  EXPECT_TRUE(storage->written.empty());
  ASSERT_TRUE(yes(later));
  EXPECT_EQ(yes(later)->side, vote_side::slash);
}

TEST_F(SlashActorTest, BallotsComeInPiecesAndVotesWaitForTheirs) {
  slash_record record{slash_id{1}, profile_id{9}, {}, slash_type::score, 100, 1h, "because", "", test::test_now};
  record.subject.wallet.emplace();
  storage->slashes = {slash_id{1}, {{record, 3, {6, 0}}}, {}};
  storage->ballots[slash_id{1}] = {{profile_id{5}, vote_side::slash, 1, 1},
                                   {profile_id{6}, vote_side::slash, 2, 1},
                                   {profile_id{8}, vote_side::slash, 3, 1}};
  storage->ballots_at_once = 1;
  storage->ballots_fail = true;
  open();
  const auto same = vote(1, 8);
  const auto changed = vote(1, 6, vote_side::defend);
  EXPECT_TRUE(open_still(same));
  EXPECT_TRUE(open_still(changed));
  EXPECT_TRUE(yes(put(others.slashes, find_slashes{}))) << "all else goes on";
  storage->ballots_fail = false;
  advance(300ms);
  ASSERT_EQ(storage->written.size(), 1u) << "the other one stands already";
  EXPECT_EQ(get<slash_voted>(storage->written.front().change).number, 4);
  resolve(write_result::stored);
  EXPECT_TRUE(yes(changed));
  EXPECT_TRUE(yes(same));
  test::test_now = end;
  advance(1s);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(closing_written().end.votes.slash, 4);
  EXPECT_EQ(closing_written().end.votes.defend, 2);
}

TEST_F(SlashActorTest, AVoteIsAnsweredWhenItsSlashClosesBeforeTheBallotsCome) {
  slash_record record{slash_id{1}, profile_id{9}, {}, slash_type::score, 100, 1h, "because", "", test::test_now};
  record.subject.wallet.emplace();
  storage->slashes = {slash_id{1}, {{record, 1, {1, 0}}}, {}};
  storage->ballots_fail = true;
  open();
  const auto ahead = vote(1, 8);
  EXPECT_TRUE(open_still(ahead));
  test::test_now = end;
  advance(1s);
  resolve(write_result::stored);
  advance(300ms);
  EXPECT_EQ(no(ahead), refusal_code::slash_closed);
}

TEST_F(SlashActorTest, ClosesByTimeOnce) {
  open();
  opened(9, 1);
  vote(1, 8);
  resolve(write_result::stored);
  test::test_now = end - 1us;
  advance(1s);
  EXPECT_TRUE(storage->written.empty());
  test::test_now = end + 5s;
  advance(1s);
  ASSERT_EQ(storage->written.size(), 1u);
  EXPECT_EQ(closing_written().end.at, end) << "not when it was noticed";
  EXPECT_EQ(closing_written().end.how, verdict::slashed);
  EXPECT_EQ(closing_written().end.votes.slash, 3);
  advance(5s);
  EXPECT_EQ(storage->written.size(), 1u);
  resolve(write_result::stored);
  test::test_now = end - 30min; // somebody sets the clock back
  advance(5s);
  EXPECT_TRUE(storage->written.empty());
  EXPECT_EQ(no(vote(1, 7)), refusal_code::slash_closed);
}

TEST_F(SlashActorTest, OfExpiryAndCancellationOneHappens) {
  open();
  opened(9, 1);
  opened(8, 2);
  test::test_now = end - 1us;
  const auto in_time = cancel(1);
  test::test_now = end;
  const auto too_late = cancel(2);
  ASSERT_EQ(storage->written.size(), 2u);
  EXPECT_EQ(closing_written().slash, slash_id{1});
  EXPECT_EQ(closing_written().end.how, verdict::cancelled);
  EXPECT_TRUE(open_still(too_late)) << "that it has closed is not on disk yet";
  resolve(write_result::stored);
  ASSERT_TRUE(yes(in_time));
  EXPECT_EQ(yes(in_time)->closed->at, std::chrono::floor<std::chrono::seconds>(end - 1us));
  EXPECT_EQ(closing_written().slash, slash_id{2});
  EXPECT_EQ(closing_written().end.how, verdict::inconclusive);
  resolve(write_result::stored);
  EXPECT_EQ(no(too_late), refusal_code::slash_closed);
  EXPECT_EQ(no(cancel(1)), refusal_code::slash_closed);
  advance(3s);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(SlashActorTest, ARefusalWaitsForWhatItRestsOn) {
  open();
  const auto first = order(9, 1);
  const auto second = order(9, 2);
  EXPECT_TRUE(open_still(second));
  resolve(write_result::stored);
  EXPECT_TRUE(yes(first));
  EXPECT_EQ(no(second), refusal_code::slash_open_already);
}

TEST_F(SlashActorTest, NobodyIsRefusedForWhatIsNotStored) {
  open();
  const auto first = order(9, 1);
  const auto second = order(9, 2);
  resolve(write_result::not_written);
  EXPECT_EQ(trouble(first), failure::unavailable);
  EXPECT_EQ(trouble(second), failure::unavailable);
  EXPECT_EQ(storage->settles, 1);
  const auto again = order(9, 2);
  ASSERT_EQ(storage->written.size(), 1u);
  resolve(write_result::stored);
  ASSERT_TRUE(yes(again));
  EXPECT_EQ(yes(again)->id, slash_id{1});
}

TEST_F(SlashActorTest, IsReadAgainWhenTheDatabaseRefuses) {
  open();
  opened(9, 1);
  const auto voted = vote(1, 8);
  const auto voted_too = vote(1, 7);
  storage->slashes.open.clear(); // somebody else has closed it
  resolve(write_result::failed);
  EXPECT_EQ(trouble(voted), failure::unavailable);
  EXPECT_EQ(trouble(voted_too), failure::unavailable);
  EXPECT_EQ(storage->settles, 1) << "before it is read";
  storage->written.clear();
  EXPECT_EQ(no(vote(1, 8)), refusal_code::slash_closed);
}

TEST_F(SlashActorTest, LooksAgainAtWhoeverTheDatabaseRefuses) {
  open();
  opened(9, 1);
  storage->people[7].live = false; // profile 8; another program has archived it
  const auto voted = vote(1, 8);
  EXPECT_TRUE(open_still(voted));
  resolve(write_result::failed);
  EXPECT_EQ(trouble(voted), failure::unavailable);
  EXPECT_EQ(no(vote(1, 8)), refusal_code::profile_not_live);
  EXPECT_TRUE(open_still(vote(1, 7)));
}

TEST_F(SlashActorTest, AnExpiryThatWasNotWrittenIsWrittenLater) {
  open();
  opened(9, 1);
  test::test_now = end;
  advance(1s);
  resolve(write_result::not_written);
  ASSERT_EQ(storage->written.size(), 1u) << "as soon as it has been read again";
  resolve(write_result::stored);
  advance(3s);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(SlashActorTest, WaitsWithExpiryWhileNothingCanBeWritten) {
  open();
  opened(9, 1);
  status.writable = false;
  test::test_now = end;
  advance(2s);
  EXPECT_TRUE(storage->written.empty());
  EXPECT_EQ(trouble(vote(1, 8)), failure::unavailable);
  status.writable = true;
  advance(1s);
  EXPECT_EQ(storage->written.size(), 1u);
}

TEST_F(SlashActorTest, ReadsComeAfterTheChangesBeforeThem) {
  open();
  opened(9, 1);
  test::test_now = end;
  const auto found = put(others.slashes, find_slashes{});
  ASSERT_EQ(storage->written.size(), 1u) << "its end is written first";
  EXPECT_TRUE(open_still(found));
  resolve(write_result::in_doubt);
  EXPECT_TRUE(yes(found)) << "a doubt may last; what is committed can be read";
  EXPECT_TRUE(yes(put(others.slashes, find_slashes{})));
  resolve(write_result::stored);
  EXPECT_TRUE(storage->written.empty());
}

TEST_F(SlashActorTest, KnowsWhichSlashesThereAre) {
  open();
  opened(9, 1);
  storage->all_slashes[slash_id{1}] = storage->slashes.open.front().record;
  EXPECT_TRUE(yes(put(others.slashes, get_slash{slash_id{1}})));
  EXPECT_EQ(no(put(others.slashes, get_slash{slash_id{2}})), refusal_code::not_found);
  EXPECT_TRUE(yes(put(others.slashes, get_roles{slash_id{1}, {profile_id{1}}})));
  EXPECT_EQ(no(put(others.slashes, get_roles{slash_id{2}, {profile_id{1}}})), refusal_code::not_found);
}

TEST_F(SlashActorTest, WhoWasSlashedIsReadByAClockThatIsRight) {
  subject slashed;
  slashed.wallet.emplace().bytes[0] = std::byte{1};
  storage->slashes.slashed = {{slashed, test::test_now - 24h}};
  test::test_now += 24h * 30; // the machine's clock, when it was started
  status.clock = clock_verdict::differs;
  status.writable = false;
  open();
  test::test_now -= 24h * 30;
  status.clock = clock_verdict::good;
  status.writable = true;
  advance(300ms);
  EXPECT_EQ(no(order(9, 1)), refusal_code::slash_cooldown);
}

TEST_F(SlashActorTest, IsUnavailableUntilItHasBeenRead) {
  storage->loads_fail = true;
  open();
  EXPECT_EQ(trouble(order(9, 1)), failure::unavailable);
  storage->loads_fail = false;
  advance(300ms);
  EXPECT_TRUE(open_still(order(9, 1)));
}

} // namespace
} // namespace credence::slash
