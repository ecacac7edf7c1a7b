#include "actors/chain/chain_audit_actor.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

using way = gap_repair::way;

class GapRepair : public testing::Test {
protected:
  GapRepair() {
    for (block_number number = 90; number <= 100; ++number)
      at.blocks.push_back({number, {}, {}, {}});
    at.tip = at.blocks.back();
  }
  gap_repair repair(block_number block, std::int32_t log = 3) { return repair_of(at, {log_mark{block, {}, log}, {0}}); }
  follow_position at;
};

TEST_F(GapRepair, TheStepIsTakenAgainOrBlocksAreTakenBack) {
  EXPECT_EQ(repair(101).how, way::take_again);
  EXPECT_EQ(repair(97).how, way::take_back);
  EXPECT_EQ(repair(97).back.number, 96u);
  EXPECT_EQ(repair(90).how, way::go_on) << "it is final";
  EXPECT_EQ(repair_of(at, {}).how, way::go_on);
  EXPECT_EQ(repair_of(at, {log_mark{97, {}, 3}, {}}).how, way::go_on) << "nobody is proven to have withheld it";
}

TEST_F(GapRepair, WhatIsStoredOfABlockStays) {
  at.within = log_place{7, {}, 5};
  EXPECT_EQ(repair(101, 5).how, way::go_on);
  EXPECT_EQ(repair(101, 6).how, way::take_again);
  EXPECT_EQ(repair(97).how, way::go_on);
}

TEST_F(GapRepair, IsLookedForUpToTheNewestEventOfTheStep) {
  blocks_applied step;
  step.tip = at.tip; // a part of block 101
  stored_event entry;
  entry.block = 101;
  entry.log_index = 9;
  step.events = {entry};
  const auto question = gap_question(at, step);
  EXPECT_EQ(question.blocks, (block_range{91, 101}));
  ASSERT_EQ(question.fresh.size(), 1u);
  EXPECT_EQ(question.fresh[0].log_index, 9);
}

} // namespace
} // namespace credence::chain
