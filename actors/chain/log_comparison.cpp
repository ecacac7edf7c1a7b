#include "actors/chain/log_comparison.hpp"

#include "actors/chain/log_checks.hpp"
#include "actors/chain/logs_in_parts.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace credence::chain {

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
