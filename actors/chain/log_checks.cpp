#include "actors/chain/log_checks.hpp"

#include "actors/domain/hash.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

namespace credence::chain {

namespace {

constexpr std::size_t topics_max = 4;

constexpr std::array<std::string_view, 10> texts{
  "a log of a block that was not asked for",
  "a log that was removed",
  "logs twice or out of order",
  "a transaction's index that falls within its block",
  "a log of a contract that was not asked for",
  "a log with more than four topics",
  "two hashes for one block number",
  "a log of another block than the one asked for",
  "two times for one block",
  "two transactions in one place of a block",
};

std::optional<log_flaw> flaw_alone(const chain_log& log, block_number from, block_number to,
                                   std::span<const address> ours) {
  if (log.block < from || log.block > to)
    return log_flaw::outside_range;
  if (log.removed)
    return log_flaw::removed;
  if (std::find(ours.begin(), ours.end(), log.from) == ours.end())
    return log_flaw::foreign_address;
  if (log.topics.size() > topics_max)
    return log_flaw::too_many_topics;
  return std::nullopt;
}

/// Between a log and the one before it.
std::optional<log_flaw> flaw_between(const chain_log& before, const chain_log& log) {
  if (log.block != before.block)
    return log.block < before.block ? std::optional{log_flaw::not_rising} : std::nullopt;
  if (log.block_hash != before.block_hash)
    return log_flaw::two_hashes;
  if (log.log_index <= before.log_index)
    return log_flaw::not_rising;
  if (log.tx_index < before.tx_index)
    return log_flaw::index_falls;
  if ((log.tx_index == before.tx_index) != (log.tx_hash == before.tx_hash))
    return log_flaw::two_transactions;
  if (log.at != before.at)
    return log_flaw::two_times;
  return std::nullopt;
}

} // namespace

std::string_view text_of(log_flaw flaw) { return texts[static_cast<std::size_t>(flaw)]; }

std::optional<log_flaw> flaw_in_range(std::span<const chain_log> logs, block_number from, block_number to,
                                      std::span<const address> ours) {
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (const auto flaw = flaw_alone(logs[i], from, to, ours))
      return flaw;
    if (i == 0)
      continue;
    if (const auto flaw = flaw_between(logs[i - 1], logs[i]))
      return flaw;
  }
  return std::nullopt;
}

std::optional<log_flaw> flaw_in_block(std::span<const chain_log> logs, const block_header& header,
                                      std::span<const address> ours) {
  for (const auto& log : logs) {
    if (log.block_hash != header.hash)
      return log_flaw::other_block;
    if (log.at && *log.at != header.at)
      return log_flaw::two_times;
  }
  return flaw_in_range(logs, header.number, header.number, ours);
}

bloom_bits::bloom_bits(std::span<const std::byte> value) {
  const auto hash = keccak256(value);
  for (std::size_t i = 0; i < bits_.size(); ++i)
    bits_[i] = static_cast<std::uint16_t>(
      (std::to_integer<unsigned>(hash[2 * i]) << 8 | std::to_integer<unsigned>(hash[2 * i + 1])) & 2047);
}

bool bloom_bits::in(const logs_bloom& bloom) const noexcept {
  return std::all_of(bits_.begin(), bits_.end(),
                     [&](auto bit) { return (std::to_integer<unsigned>(bloom[255 - bit / 8]) >> bit % 8 & 1) != 0; });
}

void bloom_bits::add_to(logs_bloom& bloom) const noexcept {
  for (const auto bit : bits_)
    bloom[255 - bit / 8] |= static_cast<std::byte>(1u << bit % 8);
}

bloom_watch::bloom_watch(std::span<const address> ours) {
  for (const auto& each : ours)
    ours_.emplace_back(each);
}

bool bloom_watch::rules_out(const logs_bloom& bloom) const noexcept {
  if (std::all_of(bloom.begin(), bloom.end(), [](std::byte each) { return each == std::byte{}; }))
    return false;
  return std::none_of(ours_.begin(), ours_.end(), [&](const bloom_bits& each) { return each.in(bloom); });
}

bool holds_all(const logs_bloom& bloom, std::span<const chain_log> logs) {
  return std::all_of(logs.begin(), logs.end(), [&](const chain_log& log) {
    return bloom_bits{log.from}.in(bloom)
           && std::all_of(log.topics.begin(), log.topics.end(),
                          [&](const digest32& topic) { return bloom_bits{std::span{topic}}.in(bloom); });
  });
}

namespace {

void sort(std::vector<chain_log>& logs) {
  std::sort(logs.begin(), logs.end(), [](const chain_log& a, const chain_log& b) { return a.log_index < b.log_index; });
}

range_logs by_contract(chain_node& from, const block_range& one, std::span<const address> contracts) {
  range_logs all;
  for (const auto& each : contracts) {
    auto found = from.logs_in(one, std::span{&each, 1});
    all.last = found.last;
    if (!found.last)
      return all;
    std::move(found.logs.begin(), found.logs.end(), std::back_inserter(all.logs));
  }
  sort(all.logs);
  return all;
}

} // namespace

range_logs logs_in_parts(chain_node& from, block_number block, std::span<const address> contracts) {
  try {
    return by_contract(from, {block, block}, contracts);
  } catch (const node_busy&) {
    throw;
  } catch (const node_error&) {
    return from.logs_by_receipts(block, contracts);
  }
}

std::vector<chain_log> all_logs_of(chain_node& from, const block_header& block, std::span<const address> contracts) {
  try {
    return from.logs_of(block.hash, contracts);
  } catch (const range_too_large&) {
  }
  std::vector<chain_log> all;
  try {
    for (const auto& each : contracts) {
      auto found = from.logs_of(block.hash, std::span{&each, 1});
      std::move(found.begin(), found.end(), std::back_inserter(all));
    }
  } catch (const range_too_large&) {
    auto found = from.logs_by_receipts(block.number, contracts);
    if (!found.last || found.last->hash != block.hash)
      throw node_error("block " + std::to_string(block.number) + " has changed");
    return std::move(found.logs);
  }
  sort(all);
  return all;
}

std::optional<std::vector<chain_log>> all_logs_in(chain_node& node, const block_range& blocks,
                                                  std::span<const address> ours, steady_time until) {
  if (steady_clock::now() >= until)
    return std::nullopt;
  range_logs found;
  try {
    found = node.logs_in(blocks, ours);
  } catch (const range_too_large&) {
    if (width_of(blocks) > 1) {
      const auto middle = blocks.first + width_of(blocks) / 2;
      auto out = all_logs_in(node, {blocks.first, middle - 1}, ours, until);
      auto rest = out ? all_logs_in(node, {middle, blocks.last}, ours, until) : std::nullopt;
      if (!rest || out->size() + rest->size() > event_places_max)
        return std::nullopt;
      out->insert(out->end(), std::make_move_iterator(rest->begin()), std::make_move_iterator(rest->end()));
      return out;
    }
    found = logs_in_parts(node, blocks.first, ours);
  }
  if (!found.last || found.logs.size() > event_places_max)
    return std::nullopt;
  if (const auto flaw = flaw_in_range(found.logs, blocks.first, blocks.last, ours))
    throw node_error("blocks " + std::to_string(blocks.first) + " to " + std::to_string(blocks.last) + ": "
                     + std::string{text_of(*flaw)});
  for (auto& each : found.logs)
    std::vector<std::byte>{}.swap(each.data);
  return std::move(found.logs);
}

bool receipts_have(chain_node& node, const chain_log& log, std::span<const address> ours) {
  const auto found = node.logs_by_receipts(log.block, ours);
  return std::any_of(found.logs.begin(), found.logs.end(), [&](const chain_log& each) { return same_log(each, log); });
}

bool same_log(const chain_log& one, const chain_log& other) {
  return place_of(one) == place_of(other) && one.tx_hash == other.tx_hash && one.from == other.from
         && one.topics == other.topics;
}

std::optional<chain_log> first_unknown(std::span<const chain_log> told, std::span<const log_mark> known) {
  const auto found = std::find_if(told.begin(), told.end(), [&](const chain_log& log) {
    return !std::binary_search(known.begin(), known.end(), place_of(log));
  });
  return found == told.end() ? std::nullopt : std::optional{*found};
}

bool same_events(std::span<const chain_log> told, std::span<const log_mark> known) {
  return std::equal(told.begin(), told.end(), known.begin(), known.end(),
                    [](const chain_log& log, const log_mark& place) { return place_of(log) == place; });
}

std::optional<block_range> some_blocks(block_number first, block_number last, std::uint64_t any) {
  if (last < first)
    return std::nullopt;
  const auto begin = first + any % (last - first + 1);
  return block_range{begin, std::min(last, begin + some_blocks_max - 1)};
}

} // namespace credence::chain
