#include "actors/chain/log_checks.hpp"
#include "tests/actors/chain/fake_chain.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

using namespace test;

const std::vector<address> ours{profile_contract, review_contract};
const steady_time later = steady_clock::now() + std::chrono::hours{1};

class LogComparison : public testing::Test {
protected:
  LogComparison() {
    for (int i = 1; i <= 10; ++i)
      node.add({joined_log(i), joined_log(100 + i)});
    told = *all_logs_in(node, {1, 10}, ours, later);
    for (const auto& each : told)
      known.push_back(place_of(each));
  }
  fake_chain node;
  std::vector<chain_log> told;
  std::vector<log_mark> known;
};

TEST_F(LogComparison, FindsTheFirstLogThatIsNotKnown) {
  EXPECT_TRUE(same_events(told, known));
  EXPECT_FALSE(first_unknown(told, known));
  known.erase(known.begin() + 7);
  EXPECT_FALSE(same_events(told, known));
  ASSERT_TRUE(first_unknown(told, known));
  EXPECT_EQ(place_of(*first_unknown(told, known)), place_of(told[7]));
}

TEST_F(LogComparison, WhatANodeLeavesOutIsADifferenceAndNoLog) {
  told.erase(told.begin() + 7);
  EXPECT_FALSE(same_events(told, known));
  EXPECT_FALSE(first_unknown(told, known));
}

TEST_F(LogComparison, ARangeIsReadInAsManyPartsAsTheNodeWants) {
  node.range_max = 3;
  EXPECT_EQ(*all_logs_in(node, {1, 10}, ours, later), told);
  node.range_max = 1'000'000;
  node.logs_max = 2;
  EXPECT_EQ(*all_logs_in(node, {1, 10}, ours, later), told);
  EXPECT_FALSE(all_logs_in(node, {5, 11}, ours, later)) << "the node does not have block 11";
}

TEST_F(LogComparison, AReadingIsBoundedInLogsAndTime) {
  EXPECT_TRUE(told.front().data.empty());
  EXPECT_FALSE(all_logs_in(node, {1, 10}, ours, steady_clock::now())) << "there is no time left";
  node.add(std::vector<chain_log>(event_places_max, joined_log(1)));
  EXPECT_FALSE(all_logs_in(node, {10, 11}, ours, later)) << "together they are too many";
  node.range_max = 1;
  EXPECT_FALSE(all_logs_in(node, {10, 11}, ours, later));
}

TEST_F(LogComparison, OnlyANodesOwnReceiptsProveThatItHasALog) {
  const auto log = told[3];
  EXPECT_TRUE(receipts_have(node, log, ours));
  auto made_up = log; // the bloom filter has all of it
  made_up.log_index = 77;
  EXPECT_FALSE(receipts_have(node, made_up, ours));
  made_up = log;
  made_up.topics[1] = told[0].topics[1];
  EXPECT_FALSE(receipts_have(node, made_up, ours));
}

TEST_F(LogComparison, BlocksAreChosenWithinWhatThereIs) {
  EXPECT_FALSE(some_blocks(5, 4, 7));
  for (std::uint64_t any : {0u, 1u, 199u, 200u, 4'000'000'000u}) {
    const auto found = some_blocks(1001, 1200, any);
    ASSERT_TRUE(found);
    EXPECT_GE(found->first, 1001u);
    EXPECT_LE(found->last, 1200u);
    EXPECT_GE(found->last, found->first);
    EXPECT_LE(width_of(*found), some_blocks_max);
  }
}

} // namespace
} // namespace credence::chain
