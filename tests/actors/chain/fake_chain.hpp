#pragma once

#include "actors/chain/events.hpp"
#include "actors/chain/log_checks.hpp"

#include <algorithm>

namespace credence::chain::test {

inline address contract_at(int number) {
  address out;
  out.bytes[0] = std::byte{0xC0};
  out.bytes[19] = static_cast<std::byte>(number);
  return out;
}
inline const address profile_contract = contract_at(1);
inline const address review_contract = contract_at(2);
inline const address foreign_contract = contract_at(3);

/// A chain in memory whose blocks can be taken back, and a node that tells it.
class fake_chain final : public chain_node {
public:
  fake_chain() { add({}); }

  /// A block with these logs on top; its hash depends on `salt` and on everything before.
  void add(std::vector<chain_log> logs, int salt = 0) {
    block_header header;
    header.number = blocks_.size();
    if (!blocks_.empty())
      header.parent_hash = blocks_.back().header.hash;
    header.at = {1'700'000'000 + static_cast<std::int64_t>(header.number)};
    auto seed = std::string{"block "} + std::to_string(header.number) + " " + std::to_string(salt) + " "
                + std::to_string(++made_);
    seed.append(reinterpret_cast<const char*>(header.parent_hash.data()), header.parent_hash.size());
    header.hash = keccak256(seed);
    std::uint32_t index = 0;
    for (auto& each : logs) {
      each.block = header.number;
      each.block_hash = header.hash;
      each.tx_hash = keccak256(seed + std::to_string(index));
      each.tx_index = each.log_index = index++;
      if (tells_times)
        each.at = header.at;
      bloom_bits{each.from}.add_to(header.bloom);
      for (const auto& topic : each.topics)
        bloom_bits{std::span{topic}}.add_to(header.bloom);
    }
    blocks_.push_back({header, std::move(logs)});
  }
  void add_empty(int count) {
    for (int i = 0; i < count; ++i)
      add({});
  }
  void take_back(std::size_t count) { blocks_.resize(blocks_.size() - count); }
  block_number head() const { return blocks_.size() - 1; }
  /// Hashes of the transactions of our logs, in order.
  std::vector<digest32> transactions() const {
    std::vector<digest32> out;
    for (const auto& block : blocks_)
      for (const auto& each : block.logs)
        if (each.from != foreign_contract)
          out.push_back(each.tx_hash);
    return out;
  }

  std::uint64_t chain_id() override { return 31337; }
  chain_heads heads(block_number number) override {
    ++questions;
    if (away)
      throw node_error{"the node is away"};
    const auto header = [&](block_number of) {
      return of <= head() ? std::optional{blocks_[of].header} : std::nullopt;
    };
    return {blocks_.back().header, newest_safe ? header(*newest_safe) : std::nullopt,
            newest_final ? header(*newest_final) : std::nullopt, header(number)};
  }
  std::vector<block_header> headers(std::span<const block_number> of) override {
    std::vector<block_header> out;
    for (const auto each : of) {
      if (each > head())
        break;
      out.push_back(blocks_[each].header);
    }
    return out;
  }
  range_logs logs_in(const block_range& blocks, std::span<const address> contracts) override {
    ranges.push_back(blocks);
    if (width_of(blocks) > range_max)
      throw range_too_large{"too many blocks", std::nullopt};
    range_logs out;
    if (blocks.last <= head() && !lacks_last)
      out.last = blocks_[blocks.last].header;
    for (auto number = blocks.first; number <= std::min(blocks.last, head()); ++number)
      append(out.logs, blocks_[number].logs, contracts);
    return bounded(std::move(out));
  }
  range_logs logs_by_receipts(block_number block, std::span<const address> contracts) override {
    ++asked_by_receipts;
    range_logs out;
    out.last = blocks_[block].header;
    append(out.logs, blocks_[block].logs, contracts);
    return out;
  }
  std::vector<chain_log> logs_of(const digest32& block, std::span<const address> contracts) override {
    ++asked_by_hash;
    std::vector<chain_log> out;
    const auto at =
      std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& each) { return each.header.hash == block; });
    if (at == blocks_.end())
      throw node_error{"unknown block"};
    append(out, at->logs, contracts);
    return bounded(range_logs{{}, std::move(out)}).logs;
  }
  node_transaction transaction(const digest32&) override { return {}; }
  calls_answered run_calls(block_number, bool, std::span<const contract_call>) override { return {}; }

  struct made_block {
    block_header header;
    std::vector<chain_log> logs;
  };
  std::vector<made_block>& blocks() { return blocks_; }

  std::optional<block_number> newest_safe, newest_final;
  std::uint64_t range_max = 1'000'000;
  std::size_t logs_max = 1'000'000; // of one answer
  bool tells_times = true;
  bool lacks_last = false; // a range's last block
  bool away = false;
  int questions = 0;
  int asked_by_hash = 0, asked_by_receipts = 0;
  std::vector<block_range> ranges;

private:
  range_logs bounded(range_logs found) const {
    if (found.logs.size() > logs_max)
      throw range_too_large{"query returned more than " + std::to_string(logs_max) + " results", std::nullopt};
    return found;
  }
  static void append(std::vector<chain_log>& to, const std::vector<chain_log>& logs,
                     std::span<const address> contracts) {
    for (const auto& each : logs)
      if (std::find(contracts.begin(), contracts.end(), each.from) != contracts.end())
        to.push_back(each);
  }

  std::vector<made_block> blocks_;
  int made_ = 0;
};

inline chain_log log_of(const address& from, const chain::event& entry) {
  auto content = encode_log(entry);
  chain_log out;
  out.from = from;
  out.topics = std::move(content.topics);
  out.data = std::move(content.data);
  return out;
}
/// A profile is created.
inline chain_log joined_log(int profile) {
  return log_of(profile_contract, profile_events::profile_created{{profile}, contract_at(100)});
}

} // namespace credence::chain::test
