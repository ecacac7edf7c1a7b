#include "actors/chain/log_checks.hpp"
#include "tests/actors/chain/chain_samples.hpp"

#include <gtest/gtest.h>

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

} // namespace
} // namespace credence::chain
