#include "tests/persistence/database.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/followed_records.hpp"

#include <algorithm>

/// Slashes that are made of events, as clients see them, through time and reorganisations.
namespace credence::test {
namespace {

using namespace chain;

const address ada = person(1), bob = person(2), cyd = person(3);

class ChainSlashesSeen : public followed_records {
protected:
  /// Ada and Bob have joined, and so has Cyd, whose votes weigh 7.
  void people_with_standing() {
    emit_together({joined(1, ada), joined(2, bob), joined(3, cyd)});
    start();
    ASSERT_TRUE(reaches_head());
    give_standing();
  }
  void give_standing() {
    run_sql(
      own.database().url(),
      "INSERT INTO epoch_scores (user_id, score, day) SELECT user_id, 2800, '2026-01-01' FROM profiles WHERE id = "
        + our_id(3));
  }
  event vote(int number, bool up) const {
    return vote_events::voted{up, {3}, fold_world::contract_of(contract_kind::slash), {1}, {number}};
  }
  /// The next block has that time.
  void next_block_at(std::int64_t seconds) {
    node.ask("evm_setNextBlockTimestamp", "[" + std::to_string(seconds) + "]");
  }

  const std::string path = "/api/v2/slashes?subject=address:" + text_of(bob);
  const std::int64_t begin = 2'500'000'000; // after the time of any block so far
};

TEST_F(ChainSlashesSeen, CloseByTheirTimeAndGoWithTheBlocksOfTheirVotes) {
  people_with_standing();
  next_block_at(begin);
  emit(slashed(1, 1, bob, begin, 100));
  next_block_at(begin + 50);
  emit(vote(1, true));
  ASSERT_TRUE(reaches_head());
  EXPECT_TRUE(becomes(path, "/values/0/status", "\"open\""));
  EXPECT_TRUE(becomes(path, "/values/0/id", our_id(1)));
  EXPECT_EQ(seen("/api/v1/slashes?subject=address:" + text_of(bob), "/data/total"), "1");
  next_block_at(begin + 100);
  node.mine(1); // a block without events
  ASSERT_TRUE(becomes(path, "/values/0/outcome", "\"SLASHED\""));
  EXPECT_TRUE(becomes(path, "/values/0/closedAt", std::to_string(begin + 100)));
  EXPECT_TRUE(becomes(path, "/values/0/votes/slash", "7"));
  ASSERT_TRUE(becomes("/api/v2/score/userkey?userkey=profileId:" + our_id(2), "/score", "1000"));
  expect_whole();
  verify();
  reorganise(2);
  ASSERT_TRUE(status_becomes("reorganisations", "1"));
  next_block_at(begin + 400);
  node.mine(1);
  ASSERT_TRUE(becomes(path, "/values/0/outcome", "\"INCONCLUSIVE\""));
  EXPECT_TRUE(becomes(path, "/values/0/closedAt", std::to_string(begin + 100))) << "its end, whichever block closes it";
  ASSERT_TRUE(becomes("/api/v2/score/userkey?userkey=profileId:" + our_id(2), "/score", "1200"));
  expect_whole();
  verify();
}

TEST_F(ChainSlashesSeen, AreOpenAgainWhenTheyAreExtendedAndEndAsTheContractSays) {
  people_with_standing();
  next_block_at(begin);
  emit(slashed(1, 1, bob, begin, 100));
  next_block_at(begin + 150);
  emit(slash_events::slash_extended{{1}, {1000}});
  ASSERT_TRUE(becomes(path, "/values/0/duration", "1000"));
  EXPECT_TRUE(becomes(path, "/values/0/status", "\"open\""));
  emit(slash_events::slash_resolved{{1}, slash_resolution::defended, 0});
  ASSERT_TRUE(becomes(path, "/values/0/outcome", "\"DEFENDED\""));
  ASSERT_TRUE(becomes("/api/v2/score/userkey?userkey=profileId:" + our_id(1), "/score", "1000"));
  expect_whole();
  verify();
}

TEST_F(ChainSlashesSeen, OfStoredEventsAreClosedWhenTheirKindIsAdded) {
  auto without_slashes = flags(node.url());
  *(std::find(without_slashes.begin(), without_slashes.end(), "--chain-kinds") + 1) = "identity,review,vote,reply";
  emit_together({joined(1, ada), joined(2, bob), joined(3, cyd)});
  own.start(without_slashes);
  ASSERT_TRUE(reaches_head());
  give_standing();
  next_block_at(begin);
  emit(slashed(1, 1, bob, begin, 100));
  next_block_at(begin + 50);
  emit(vote(1, true));
  next_block_at(begin + 200);
  node.mine(1);
  ASSERT_TRUE(reaches_head());
  EXPECT_TRUE(becomes(path, "/total", "0"));
  own.kill_hard();
  start();
  ASSERT_TRUE(becomes(path, "/values/0/outcome", "\"SLASHED\""));
  EXPECT_TRUE(becomes(path, "/values/0/closedAt", std::to_string(begin + 100)));
  ASSERT_TRUE(reaches_head());
  expect_whole();
  verify();
}

TEST_F(ChainSlashesSeen, ForXpAreThereForVersion2Alone) {
  people_with_standing();
  const auto created = slashed(1, 1, bob, begin, 100);
  auto of_xp = *get_if<slash_events::slash_created>(&created);
  of_xp.type = slash_type::xp;
  emit(of_xp);
  ASSERT_TRUE(becomes(path, "/values/0/slashType", "\"XP\""));
  EXPECT_EQ(seen("/api/v1/slashes?subject=address:" + text_of(bob), "/data/total"), "0");
  verify();
}

} // namespace
} // namespace credence::test
