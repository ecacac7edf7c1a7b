#include "actors/chain/logs_in_parts.hpp"

#include <algorithm>
#include <iterator>

namespace credence::chain {

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

} // namespace credence::chain
