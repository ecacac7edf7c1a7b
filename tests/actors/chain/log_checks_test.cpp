#include "actors/chain/log_checks.hpp"
#include "tests/actors/chain/chain_samples.hpp"
#include "tests/actors/chain/fake_chain.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>

namespace credence::chain {
namespace {

using namespace samples;

/// Four logs of two blocks, as an honest node tells them for the blocks 10 to 12.
std::vector<chain_log> honest() {
  std::vector<chain_log> out(4);
  for (auto& log : out) {
    log.from = address_of(1);
    log.topics = {hash_of(1)};
    log.block = 10;
    log.block_hash = hash_of(10);
    log.at = unix_time{1'700'000'000};
  }
  out[0].tx_index = 3, out[0].log_index = 7, out[0].tx_hash = hash_of(103);
  out[1].tx_index = 3, out[1].log_index = 8, out[1].tx_hash = hash_of(103);
  out[2].tx_index = 5, out[2].log_index = 20, out[2].tx_hash = hash_of(105);
  out[3].block = 12, out[3].block_hash = hash_of(12), out[3].from = address_of(2), out[3].at = unix_time{1'700'000'004};
  return out;
}

/// What is said of the honest logs after a change to them.
std::string said(const std::function<void(std::vector<chain_log>&)>& change) {
  const std::vector<address> ours{address_of(1), address_of(2)};
  auto logs = honest();
  change(logs);
  const auto flaw = flaw_in_range(logs, 10, 12, ours);
  return flaw ? std::string{text_of(*flaw)} : "";
}

TEST(LogChecks, BelieveAnHonestAnswer) {
  EXPECT_EQ(said([](auto&) {}), "");
  EXPECT_EQ(said([](auto& logs) { logs.clear(); }), "");
  EXPECT_EQ(said([](auto& logs) { logs[0].topics.resize(4); }), "");
  EXPECT_EQ(said([](auto& logs) { logs[0].topics.clear(); }), "");
}

TEST(LogChecks, DoNotBelieveWhatCannotBe) {
  const std::pair<const char*, std::function<void(std::vector<chain_log>&)>> rows[]{
    {"a log of a block that was not asked for", [](auto& logs) { logs[3].block = 13; }},
    {"a log of a block that was not asked for", [](auto& logs) { logs[0].block = 9; }},
    {"a log that was removed", [](auto& logs) { logs[2].removed = true; }},
    {"logs twice or out of order", [](auto& logs) { logs[1] = logs[0]; }},
    {"logs twice or out of order", [](auto& logs) { logs[1].log_index = 6; }},
    {"logs twice or out of order", [](auto& logs) { std::swap(logs[0], logs[3]); }},
    {"logs twice or out of order", [](auto& logs) { logs.push_back(logs[0]); }},
    {"a transaction's index that falls within its block", [](auto& logs) { logs[2].tx_index = 2; }},
    {"a log of a contract that was not asked for", [](auto& logs) { logs[1].from = address_of(3); }},
    {"a log with more than four topics", [](auto& logs) { logs[3].topics.resize(5); }},
    {"two hashes for one block number", [](auto& logs) { logs[2].block_hash = hash_of(11); }},
    {"two times for one block", [](auto& logs) { logs[1].at = unix_time{1'700'000'001}; }},
    {"two times for one block", [](auto& logs) { logs[1].at = std::nullopt; }},
    {"two transactions in one place of a block", [](auto& logs) { logs[1].tx_hash = hash_of(1); }},
    {"two transactions in one place of a block", [](auto& logs) { logs[2].tx_hash = logs[1].tx_hash; }},
  };
  for (const auto& [why, change] : rows)
    EXPECT_EQ(said(change), why);
}

TEST(LogChecks, HoldABlocksLogsAgainstItsHeader) {
  const std::vector<address> ours{address_of(1)};
  block_header header;
  header.number = 10;
  header.hash = hash_of(10);
  header.at = unix_time{1'700'000'000};
  auto logs = honest();
  logs.pop_back();
  EXPECT_FALSE(flaw_in_block(logs, header, ours));
  EXPECT_FALSE(flaw_in_block({}, header, ours));
  logs[2].at.reset(), logs[1].at.reset(), logs[0].at.reset();
  EXPECT_FALSE(flaw_in_block(logs, header, ours)) << "not every node tells the time";
  logs[0].at = unix_time{1'700'000'001};
  EXPECT_EQ(flaw_in_block(logs, header, ours), log_flaw::two_times);
  header.hash = hash_of(11);
  EXPECT_EQ(flaw_in_block(logs, header, ours), log_flaw::other_block);
}

int bits_in(const logs_bloom& bloom) {
  int count = 0;
  for (const auto each : bloom)
    count += std::popcount(std::to_integer<unsigned>(each));
  return count;
}

TEST(LogBloom, SetsTheBitsThatTheYellowPaperNames) {
  // keccak256 of 20 zero bytes begins 5380c7b7ae81: bits 0x380, 0x7b7, 0x681 from the end.
  logs_bloom bloom{};
  bloom_bits{address{}}.add_to(bloom);
  const auto hash = keccak256(std::string(20, '\0'));
  ASSERT_EQ(hex(hash).substr(0, 12), "5380c7b7ae81");
  logs_bloom expected{};
  for (const unsigned bit : {0x380U, 0x7b7U, 0x681U})
    expected[255 - bit / 8] |= static_cast<std::byte>(1U << bit % 8);
  EXPECT_EQ(hex(bloom), hex(expected));
  EXPECT_EQ(bits_in(bloom), 3);
  EXPECT_TRUE(bloom_bits{address{}}.in(bloom));
  EXPECT_FALSE(bloom_bits{address_of(1)}.in(bloom));
}

TEST(LogBloom, RulesOutBlocksThatLackAllOurAddresses) {
  const std::vector<address> ours{address_of(1), address_of(2)};
  const bloom_watch watch{ours};
  logs_bloom bloom{};
  EXPECT_FALSE(watch.rules_out(bloom)) << "a node that keeps no blooms says nothing by an empty one";
  bloom_bits{address_of(9)}.add_to(bloom);
  EXPECT_TRUE(watch.rules_out(bloom));
  bloom_bits{address_of(2)}.add_to(bloom);
  EXPECT_FALSE(watch.rules_out(bloom));
  logs_bloom full;
  full.fill(std::byte{0xFF});
  EXPECT_FALSE(watch.rules_out(full));
}

TEST(LogBloom, HoldsEveryLogOfItsBlock) {
  std::vector<chain_log> logs(2);
  logs[0].from = address_of(1);
  logs[0].topics = {hash_of(1), hash_of(2)};
  logs[1].from = address_of(2);
  logs_bloom bloom{};
  EXPECT_TRUE(holds_all(bloom, {}));
  EXPECT_FALSE(holds_all(bloom, logs));
  bloom_bits{address_of(1)}.add_to(bloom);
  bloom_bits{address_of(2)}.add_to(bloom);
  bloom_bits{std::span{logs[0].topics[0]}}.add_to(bloom);
  EXPECT_FALSE(holds_all(bloom, logs)) << "the second topic is missing";
  bloom_bits{std::span{logs[0].topics[1]}}.add_to(bloom);
  EXPECT_TRUE(holds_all(bloom, logs));
}

using namespace test;

const std::vector<address> followed{profile_contract, review_contract};
const steady_time later = steady_clock::now() + std::chrono::hours{1};

struct LogComparison : testing::Test {
  LogComparison() {
    for (int i = 1; i <= 10; ++i)
      node.add({joined_log(i), joined_log(100 + i)});
    told = *all_logs_in(node, {1, 10}, followed, later);
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
  EXPECT_EQ(*all_logs_in(node, {1, 10}, followed, later), told);
  node.range_max = 1'000'000;
  node.logs_max = 2;
  EXPECT_EQ(*all_logs_in(node, {1, 10}, followed, later), told);
  EXPECT_FALSE(all_logs_in(node, {5, 11}, followed, later)) << "the node does not have block 11";
}

TEST_F(LogComparison, AReadingIsBoundedInLogsAndTime) {
  EXPECT_TRUE(told.front().data.empty());
  EXPECT_FALSE(all_logs_in(node, {1, 10}, followed, steady_clock::now())) << "there is no time left";
  node.add(std::vector<chain_log>(event_places_max, joined_log(1)));
  EXPECT_FALSE(all_logs_in(node, {10, 11}, followed, later)) << "together they are too many";
  node.range_max = 1;
  EXPECT_FALSE(all_logs_in(node, {10, 11}, followed, later));
}

TEST_F(LogComparison, OnlyANodesOwnReceiptsProveThatItHasALog) {
  const auto log = told[3];
  EXPECT_TRUE(receipts_have(node, log, followed));
  auto made_up = log; // the bloom filter has all of it
  made_up.log_index = 77;
  EXPECT_FALSE(receipts_have(node, made_up, followed));
  made_up = log;
  made_up.topics[1] = told[0].topics[1];
  EXPECT_FALSE(receipts_have(node, made_up, followed));
}

TEST_F(LogComparison, BlocksAreChosenWithinWhatThereIs) {
  EXPECT_FALSE(some_blocks(5, 4, 7));
  for (std::uint64_t any : {0u, 1u, 199u, 200u, 4'000'000'000u}) {
    const auto found = credence::test::there(some_blocks(1001, 1200, any));
    EXPECT_GE(found->first, 1001u);
    EXPECT_LE(found->last, 1200u);
    EXPECT_GE(found->last, found->first);
    EXPECT_LE(width_of(*found), some_blocks_max);
  }
}

} // namespace
} // namespace credence::chain
