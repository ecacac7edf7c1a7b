#include "tests/actors/chain/steps_fixture.hpp"

/// Steps that hold less than a node tells at a time.
namespace credence::chain {
namespace {

using namespace test;

TEST_F(ChainSteps, StepsAreSmallWhereCommitsAreSlow) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 10; ++i)
    size.took(step_size::slow + 1ms);
  EXPECT_EQ(size.events_max(), 1u);
  for (int i = 0; i < 400; ++i)
    node.add(std::vector<chain_log>(10, joined_log(1)));
  node.newest_final = node.head();
  ASSERT_TRUE(apply(next()));
  std::size_t most = 0, blocks = 0;
  while (at->tip.number < 400) {
    const auto before = events.size();
    apply(next());
    most = std::max(most, events.size() - before);
  }
  for (const auto& each : node.ranges)
    blocks += static_cast<std::size_t>(std::min<block_number>(each.last, 400) - each.first + 1);
  EXPECT_EQ(most, 10u) << "near the head no block is cut";
  EXPECT_LT(blocks, 1400u) << "blocks are not blocks for over and over";
  EXPECT_EQ(stored(), node.transactions());
  for (int i = 0; i < 100; ++i)
    size.took(step_size::fast);
  EXPECT_EQ(size.events_max(), 1u);
  for (int i = 0; i < 100; ++i)
    size.took(step_size::fast - 1ms);
  EXPECT_EQ(size.events_max(), 2000u);
}

TEST_F(ChainSteps, WhatAStepLeftIsOfNoUseBehindAnotherTip) {
  for (int i = 0; i < 300; ++i)
    node.add(std::vector<chain_log>(20, joined_log(1)));
  node.newest_final = node.head();
  ASSERT_TRUE(apply(next()));
  const auto begun = *at;
  ASSERT_TRUE(apply(next()));
  const auto after = at->tip.number;
  ASSERT_TRUE(left.found.last);
  at = begun; // the step was not stored
  events.clear();
  last_id = 0;
  ASSERT_TRUE(apply(next()));
  EXPECT_EQ(at->tip.number, after);
  run();
  EXPECT_EQ(stored(), node.transactions());
}

TEST_F(ChainSteps, AFinalBlockWithMoreThanAStepHoldsIsStoredInParts) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 7; ++i)
    size.took(step_size::slow + 1ms); // to 15 events
  node.add(std::vector<chain_log>(5, joined_log(1)));
  node.add(std::vector<chain_log>(40, joined_log(1)));
  node.add(std::vector<chain_log>(5, joined_log(1)));
  node.add_empty(100);
  node.newest_final = node.head();
  ASSERT_TRUE(apply(next())); // begun
  ASSERT_TRUE(apply(next()));
  EXPECT_EQ(at->tip.number, 1u);
  ASSERT_TRUE(apply_part(next()));
  EXPECT_EQ(at->tip.number, 1u);
  EXPECT_EQ(events.size(), 20u);
  left = {}; // as after a restart
  ASSERT_TRUE(apply_part(next()));
  EXPECT_EQ(events.size(), 35u);
  EXPECT_EQ(at->tip.number, 1u);
  ASSERT_TRUE(apply(next()));
  EXPECT_GT(at->tip.number, 1u);
  EXPECT_FALSE(at->within);
  run();
  EXPECT_EQ(stored(), node.transactions());
}

TEST_F(ChainSteps, ABlockIsStoredInPartsOnlyRightBehindTheTip) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 7; ++i)
    size.took(step_size::slow + 1ms); // to 15 events
  node.add_empty(5);
  node.add(std::vector<chain_log>(40, joined_log(1))); // block 6
  node.add_empty(100);
  node.newest_final = node.head();
  ASSERT_TRUE(apply(next())); // begun
  ASSERT_TRUE(apply(next()));
  EXPECT_EQ(at->tip.number, 5u);
  EXPECT_EQ(at->tip.hash, node.blocks()[5].header.hash);
  EXPECT_TRUE(events.empty());
  ASSERT_TRUE(apply_part(next()));
  left = {}; // as after a restart, or by another node
  width = range_width{1};
  run();
  EXPECT_EQ(stored(), node.transactions());
}

TEST_F(ChainSteps, ANodeWithoutTheRestOfABlockDoesNotLie) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 7; ++i)
    size.took(step_size::slow + 1ms);
  node.add(std::vector<chain_log>(40, joined_log(1)));
  node.add_empty(100);
  node.newest_final = node.head();
  ASSERT_TRUE(apply(next()));
  ASSERT_TRUE(apply_part(next()));
  left = {};
  node.blocks()[1].logs.clear();
  try {
    next();
    FAIL() << "it goes on without the rest";
  } catch (const node_lied& error) {
    FAIL() << error.what();
  } catch (const node_error&) { // another one is asked
  }
}

TEST_F(ChainSteps, ABlockThatIsStoredInPartIsNoOtherOne) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 7; ++i)
    size.took(step_size::slow + 1ms);
  node.add(std::vector<chain_log>(40, joined_log(1)));
  node.add_empty(100);
  node.newest_final = node.head();
  ASSERT_TRUE(apply(next()));
  ASSERT_TRUE(apply_part(next()));
  left = {};
  for (auto& each : node.blocks()[1].logs)
    each.block_hash[0] ^= std::byte{1};
  EXPECT_THROW(next(), node_lied);
}

} // namespace
} // namespace credence::chain
