#include "actors/chain/chain_steps.hpp"
#include "actors/chain/endpoints.hpp"
#include "tests/actors/chain/fake_chain.hpp"

#include <gtest/gtest.h>

#include <random>

namespace credence::chain {
namespace test {

inline constexpr timestamp now{std::chrono::seconds{1'700'100'000}};

/// Follows a fake chain as the follower does, without storage: changes are applied at once.
struct ChainSteps : testing::Test {
  ChainSteps() {
    how.chain = 31337;
    how.start_block = 1;
    how.confirmations = 0;
    how.contracts = {{profile_contract, contract_kind::profile}, {review_contract, contract_kind::review}};
  }

  step next(block_number wanted = 0) {
    return at ? next_step(node, width, left, how, *at, {wanted, size.max()}, now) : first_step(node, how);
  }
  /// Of a block with more than a step holds, as commits are slow; what is left of it is forgotten.
  void store_a_part() {
    using namespace std::chrono_literals;
    for (int i = 0; i < 7; ++i)
      size.took(step_size::slow + 1ms);
    node.add(std::vector<chain_log>(40, joined_log(1)));
    node.add_empty(100);
    node.newest_final = node.head();
    ASSERT_TRUE(apply(next()));
    ASSERT_TRUE(apply_part(next()));
    left = {};
  }
  /// The step has events of a block that is not in whole.
  bool apply_part(const step& step) {
    const auto* on = std::get_if<blocks_applied>(&step.change);
    if (!on || on->tip.number != at->tip.number || on->events.empty() || !on->blocks.empty())
      return false;
    for (const auto& each : on->events) {
      EXPECT_EQ(each.id, ++last_id);
      events.push_back(each);
    }
    at = position_after(*at, *on);
    return at->within.has_value();
  }
  /// False when there was nothing to do.
  bool apply(const step& step) {
    if (const auto* begun = std::get_if<chain_begun>(&step.change))
      at = position_after(*begun);
    else if (const auto* on = std::get_if<blocks_applied>(&step.change)) {
      EXPECT_EQ(on->before, at->tip.hash);
      EXPECT_TRUE(on->tip.number > at->tip.number || !on->events.empty() || on->authority > at->authority)
        << "a step without a block settles others";
      EXPECT_GE(on->authority, at->authority) << "it never moves back";
      EXPECT_LE(on->authority, on->tip.number) << "no rights rest on what is not stored";
      for (const auto& each : on->events) {
        EXPECT_EQ(each.id, ++last_id) << "ids have no gap";
        events.push_back(each);
      }
      at = position_after(*at, *on);
    } else if (const auto* back = std::get_if<blocks_undone>(&step.change)) {
      EXPECT_EQ(back->before, at->tip.hash);
      std::erase_if(events, [&](const stored_event& each) { return each.block > back->tip.number; });
      at = position_after(*at, *back);
      ++undone;
    } else
      return false;
    return true;
  }
  void run() {
    for (int steps = 0;; ++steps) {
      const auto found = next();
      if (!apply(found) && !found.backfill) // with it a narrower range is due
        return;
      ASSERT_LT(steps, 10'000) << "it never comes to rest";
    }
  }
  std::vector<digest32> stored() const {
    std::vector<digest32> out;
    for (const auto& each : events)
      out.push_back(each.tx_hash);
    return out;
  }

  fake_chain node;
  follow_settings how;
  range_width width{10'000};
  logs_left left;
  step_size size{step_events_max, step_events_max};
  std::optional<follow_position> at;
  std::vector<stored_event> events;
  std::int64_t last_id = 0;
  int undone = 0;
};

} // namespace test
namespace {

using namespace test;

TEST_F(ChainSteps, BeginBehindTheBlockBeforeTheFirstOneThatCounts) {
  how.start_block = 3;
  node.add({joined_log(1)});
  EXPECT_TRUE(first_step(node, how).behind) << "block 2 is not there yet";
  node.add({joined_log(2)});
  node.add({joined_log(3)});
  run();
  EXPECT_EQ(stored(), std::vector<digest32>{node.transactions().back()});
}

TEST_F(ChainSteps, StoreWhatALogSays) {
  auto broken = joined_log(1);
  broken.topics.pop_back();
  auto unknown = joined_log(1);
  unknown.topics[0][0] ^= std::byte{1};
  auto foreign = joined_log(1);
  foreign.from = foreign_contract;
  node.add({joined_log(7), foreign, broken, unknown});
  run();
  ASSERT_EQ(events.size(), 3u);
  const auto& first = events[0];
  EXPECT_EQ(first.block, 1u);
  EXPECT_EQ(first.contract, contract_kind::profile);
  EXPECT_EQ(first.event_name, "ProfileCreated");
  EXPECT_EQ(first.log_data, R"({"eventName":"ProfileCreated","args":{"profileId":7,"addr":")"
                              + checksummed_text(contract_at(100)) + "\"}}");
  EXPECT_EQ(first.status, event_status::ignored);
  EXPECT_EQ(first.topics.size(), 96u);
  EXPECT_EQ(events[1].log_index, 2);
  EXPECT_EQ(events[1].status, event_status::failed);
  EXPECT_EQ(events[1].reason, "bad_topics");
  EXPECT_EQ(events[1].event_name, "ProfileCreated");
  EXPECT_EQ(events[2].reason, "unknown_topic");
  EXPECT_FALSE(events[2].event_name);
}

TEST_F(ChainSteps, KeepOnlyTheBeginningOfDataThatIsTooLong) {
  auto log = joined_log(1);
  log.data.resize(log_data_bytes_max + 1);
  node.add({log});
  run();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].data.size(), 64u * 1024);
  EXPECT_EQ(events[0].reason, "too_long");
}

TEST_F(ChainSteps, LeaveTheNewestBlocksAloneUnlessOneIsWanted) {
  how.confirmations = 2;
  node.add_empty(5);
  run();
  EXPECT_EQ(at->tip.number, 3u);
  EXPECT_TRUE(apply(next(5)));
  EXPECT_EQ(at->tip.number, 5u);
}

TEST_F(ChainSteps, AskForLogsOnlyWhereTheBloomHasAnAddressOfOurs) {
  node.add_empty(4);
  node.blocks()[2].header.bloom[0] = std::byte{1}; // of somebody else
  node.blocks()[3].header.bloom[0] = std::byte{1};
  node.blocks()[4].header.bloom = {}; // not believed
  at = position_after(chain_begun{31337, "", "", 0, {1, node.blocks()[1].header.hash, {}, {}}});
  run();
  EXPECT_EQ(at->tip.number, 4u);
  EXPECT_EQ(node.asked_by_hash, 1);
}

TEST_F(ChainSteps, ANodeWhoseLogTheBloomLacksLies) {
  node.add({joined_log(1)});
  run();
  node.add({joined_log(2)});
  node.blocks().back().logs[0].topics[1][31] ^= std::byte{0x40};
  EXPECT_THROW(next(), node_lied);
}

TEST_F(ChainSteps, TakeBackWhatAReorganisationUndid) {
  node.newest_final = 1;
  node.add_empty(2);
  for (int i = 0; i < 5; ++i)
    node.add({joined_log(i + 1)});
  run();
  ASSERT_EQ(events.size(), 5u);
  node.take_back(3);
  node.add({joined_log(8)}, 1);
  for (int i = 0; i < 3; ++i)
    node.add({joined_log(i + 3)}, 1);
  run();
  EXPECT_EQ(undone, 1);
  EXPECT_EQ(stored(), node.transactions());
  EXPECT_EQ(last_id, 9) << "no id is given out twice";
}

TEST_F(ChainSteps, AReplacedTipIsSeenBeforeTheNextBlock) {
  node.add({joined_log(1)});
  node.add({joined_log(2)});
  run();
  node.take_back(1);
  node.add({joined_log(3)}, 1);
  run();
  EXPECT_EQ(stored(), node.transactions());
}

TEST_F(ChainSteps, ALowerHeadIsNoEvidence) {
  node.add({joined_log(1)});
  node.add({joined_log(2)});
  run();
  node.take_back(1);
  const auto found = next();
  EXPECT_TRUE(found.behind);
  EXPECT_FALSE(apply(found));
  EXPECT_EQ(events.size(), 2u);
}

TEST_F(ChainSteps, AnotherFinalBlockMeansThatTheNodeIsWrong) {
  node.add_empty(6);
  node.newest_final = 4;
  run();
  node.take_back(5);
  for (int i = 0; i < 7; ++i)
    node.add({}, 1);
  EXPECT_THROW(next(), node_lied);
  EXPECT_EQ(at->tip.number, 6u) << "nothing is destroyed";
}

TEST_F(ChainSteps, CatchUpByRangesThatFitTheNode) {
  for (int i = 0; i < 400; ++i)
    node.add(i % 3 == 0 ? std::vector<chain_log>{joined_log(i + 1)} : std::vector<chain_log>{});
  node.newest_final = 390;
  node.range_max = 100;
  run();
  EXPECT_EQ(stored(), node.transactions());
  EXPECT_EQ(at->tip.number, 400u);
  EXPECT_EQ(node.ranges.front().first, 1u);
  EXPECT_EQ(width_of(node.ranges.front()), 390u);
  for (const auto& each : node.ranges)
    EXPECT_LE(each.last, 390u) << "beyond the last final block there are no ranges";
  EXPECT_EQ(at->blocks.front().number, 390u) << "what is final is not kept for taking back";
}

TEST_F(ChainSteps, ARangeWithMoreThanAChangeHoldsIsCutBetweenBlocks) {
  for (int i = 0; i < 90; ++i)
    node.add(std::vector<chain_log>(100, joined_log(1)));
  node.add(std::vector<chain_log>(2500, joined_log(1)));
  node.add_empty(70);
  node.newest_final = node.head();
  ASSERT_TRUE(apply(next()));
  ASSERT_TRUE(apply(next()));
  EXPECT_EQ(events.size(), 2000u);
  EXPECT_EQ(at->tip.number, 20u);
  const auto asked = node.ranges.size();
  ASSERT_TRUE(apply(next()));
  EXPECT_EQ(at->tip.number, 40u);
  EXPECT_EQ(node.ranges.size(), asked) << "what came beyond the first step is not asked for again";
  run();
  EXPECT_EQ(stored(), node.transactions());
}

/// A block of logs of both contracts, so many each.
std::vector<chain_log> under_load(int each) {
  std::vector<chain_log> out;
  for (int i = 0; i < each; ++i) {
    out.push_back(joined_log(i + 1));
    out.push_back(log_of(review_contract, review_events::review_archived{{i}, {}, {}}));
  }
  return out;
}

TEST_F(ChainSteps, ABlockWithMoreLogsThanTheNodeSendsIsAskedForInParts) {
  node.logs_max = 10;
  for (const auto each : {8, 12}) { // fits contract by contract, and not even that
    SCOPED_TRACE(each);
    const auto before = node.asked_by_receipts;
    node.add(under_load(each));
    run(); // near the head
    EXPECT_EQ(stored(), node.transactions());
    EXPECT_EQ(node.asked_by_receipts - before, each > 10 ? 1 : 0);
    node.add(under_load(each));
    node.add_empty(100);
    node.newest_final = node.head();
    run(); // far behind
    EXPECT_EQ(stored(), node.transactions());
    EXPECT_EQ(node.asked_by_receipts - before, each > 10 ? 2 : 0);
    node.newest_final.reset();
  }
}

TEST_F(ChainSteps, TimesComeFromHeadersWhereLogsHaveNone) {
  node.tells_times = false;
  for (int i = 0; i < 200; ++i)
    node.add({joined_log(i + 1)});
  node.newest_final = node.head();
  run();
  EXPECT_EQ(stored(), node.transactions());
}

TEST_F(ChainSteps, ANodeWithoutTheLastBlockOfARangeIsBehind) {
  node.add_empty(200);
  node.newest_final = node.head();
  ASSERT_TRUE(apply(next()));
  node.lacks_last = true; // as where another machine answers
  const auto found = next();
  EXPECT_TRUE(found.behind);
  EXPECT_FALSE(apply(found));
}

TEST_F(ChainSteps, NonsenseInALogIsTheNodesFailure) {
  node.add_empty(2);
  run();
  node.add({joined_log(1), joined_log(2)});
  node.blocks().back().logs[1].log_index = 0;
  EXPECT_THROW(next(), node_error);
  node.blocks().back().logs[1].log_index = 1;
  run();
  EXPECT_EQ(events.size(), 2u);
}

// -- which block rights rest on ------------------------------------------------------------------

TEST_F(ChainSteps, RightsRestOnSafeBlocksThatAreStored) {
  node.add_empty(10);
  run();
  EXPECT_EQ(at->authority, 0u) << "a node without tags gives no rights";
  node.newest_safe = 7;
  run();
  EXPECT_EQ(at->authority, 7u) << "no block is needed for it";
  EXPECT_EQ(at->tip.number, node.head());
  node.newest_safe = 5;
  node.add_empty(1);
  run();
  EXPECT_EQ(at->authority, 7u) << "a node that is behind takes nothing away";
  node.newest_safe = node.head() + 1;
  run();
  EXPECT_EQ(at->authority, 7u) << "there is no such block";
  node.newest_safe.reset();
  node.newest_final = 9;
  run();
  EXPECT_EQ(at->authority, 9u) << "what is final is safe";
  how.confirmations = 4;
  node.newest_safe = node.head() + 5;
  node.add_empty(5);
  run();
  EXPECT_EQ(at->authority, node.head() - 4) << "what is not stored gives no rights";
}

TEST_F(ChainSteps, RightsRestOnFinalBlocksWhereThatIsSet) {
  how.authority = *authority_named("finalized");
  node.add_empty(10);
  node.newest_safe = 8;
  node.newest_final = 6;
  run();
  EXPECT_EQ(at->authority, 6u);
}

TEST_F(ChainSteps, RightsRestOnBlocksSoFarBehindWhereThatIsSet) {
  how.authority = *authority_named("4");
  node.add_empty(3);
  node.newest_safe = node.newest_final = 2;
  run();
  EXPECT_EQ(at->authority, 0u);
  node.add_empty(7);
  run();
  EXPECT_EQ(at->authority, 6u);
}

TEST_F(ChainSteps, ASafeBlockOfAnotherBranchGivesNoRights) {
  node.add_empty(10);
  run();
  node.newest_safe = 6;
  at->blocks[6].hash[0] ^= std::byte{1};
  EXPECT_TRUE(std::holds_alternative<std::monostate>(next().change));
}

TEST_F(ChainSteps, RightsFallBackToWhatAReorganisationLeaves) {
  node.add_empty(10);
  node.newest_safe = 8;
  run();
  node.take_back(5);
  node.newest_safe = 4;
  node.add_empty(1);
  for (int i = 0; i < 5; ++i)
    node.add({}, 1);
  ASSERT_TRUE(apply(next()));
  EXPECT_EQ(at->tip.number, 5u);
  EXPECT_EQ(at->authority, 5u);
  run();
  EXPECT_EQ(at->tip.number, node.head());
  EXPECT_EQ(at->authority, 5u) << "the blocks that came instead give none yet";
}

TEST(Authority, IsAWordOrANumber) {
  EXPECT_EQ(authority_named("safe")->how, authority_rule::by::safe);
  EXPECT_EQ(authority_named("0")->depth, 0u);
  EXPECT_EQ(authority_named("1000000")->depth, 1'000'000u);
  for (const auto* wrong : {"", "latest", "Safe", "-1", "1000001", "3 ", "99999999999999999999"})
    EXPECT_FALSE(authority_named(wrong)) << wrong;
}

/// Whatever happens to the chain, what is stored in the end is what the chain has in the end.
TEST_F(ChainSteps, RandomReorganisationsLeaveWhatTheChainHas) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random{seed};
    const auto below = [&](unsigned most) { return static_cast<int>(random() % most); };
    node = fake_chain{};
    at.reset();
    left = {};
    events.clear();
    last_id = 0;
    node.add_empty(25);
    for (int round = 0; round < 60; ++round) {
      node.newest_final = node.head() - 21;
      if (below(3) == 0)
        node.take_back(static_cast<std::size_t>(1 + below(20)));
      for (int blocks = 21 + below(10); blocks > 0; --blocks)
        node.add(std::vector<chain_log>(static_cast<std::size_t>(below(3)), joined_log(1 + below(50))), round);
      for (int steps = below(4); steps > 0; --steps) // the next one comes in the middle of things
        apply(next());
    }
    run();
    ASSERT_EQ(stored(), node.transactions()) << "seed " << seed;
    ASSERT_EQ(at->tip.hash, node.blocks().back().header.hash);
  }
}

/// Steps that hold less than a node tells at a time.

TEST_F(ChainSteps, StepsAreSmallWhereCommitsAreSlow) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 10; ++i)
    size.took(step_size::slow + 1ms);
  EXPECT_EQ(size.max(), 1u);
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
  EXPECT_EQ(size.max(), 1u);
  for (int i = 0; i < 100; ++i)
    size.took(step_size::fast - 1ms);
  EXPECT_EQ(size.max(), 2000u);
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
  store_a_part();
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
  store_a_part();
  for (auto& each : node.blocks()[1].logs)
    each.block_hash[0] ^= std::byte{1};
  EXPECT_THROW(next(), node_lied);
}

struct Canary : testing::Test {
  Canary() {
    how.start_block = 2;
    how.contracts = {{profile_contract, contract_kind::profile}};
  }
  fake_chain node;
  follow_settings how;
};

TEST_F(Canary, SingsWhereLogsOfTheFirstBlockAreThere) {
  node.add_empty(1);
  EXPECT_EQ(canary_of(node, how), canary::absent);
  node.add({joined_log(1)});
  EXPECT_EQ(canary_of(node, how), canary::answers);
  node.logs_max = 0;
  EXPECT_EQ(canary_of(node, how), canary::answers) << "there are more than the node sends";
}

TEST_F(Canary, IsSilentWhereTheHeaderTellsOfLogsThatTheNodeDoesNotHave) {
  node.add_empty(1);
  node.add({joined_log(1)});
  node.blocks()[2].logs.clear();
  EXPECT_EQ(canary_of(node, how), canary::silent);
  node.blocks()[2].header.bloom = {};
  EXPECT_EQ(canary_of(node, how), canary::answers) << "there may be none";
}

TEST_F(Canary, SingsWhereTheBlockHasNoLogsOfOurs) {
  node.add_empty(1);
  auto foreign = joined_log(1);
  foreign.from = foreign_contract;
  node.add({foreign});
  EXPECT_EQ(canary_of(node, how), canary::answers);
}

} // namespace
} // namespace credence::chain
