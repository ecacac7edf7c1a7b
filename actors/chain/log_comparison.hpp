#pragma once

#include "actors/chain/chain_node.hpp"
#include "actors/chain/follow_types.hpp"
#include "actors/domain/time.hpp"

#include <optional>
#include <span>
#include <vector>

/// What a node tells of past blocks, beside what is stored of them.
namespace credence::chain {

/// Where an event stands.
struct log_mark {
  block_number block = 0;
  digest32 block_hash{};
  std::int32_t log_index = 0;
  friend auto operator<=>(const log_mark&, const log_mark&) = default;
};
inline log_mark place_of(const chain_log& log) {
  return {log.block, log.block_hash, static_cast<std::int32_t>(log.log_index)};
}
inline log_mark place_of(const stored_event& stored) { return {stored.block, stored.block_hash, stored.log_index}; }

/// Stored events of a range of blocks.
struct events_between {
  std::vector<log_mark> places; // in order
  bool all = false;             // false: there are more than `event_places_max`
};
struct load_event_places {
  using answer_type = events_between;
  chain_number chain = 0;
  block_range blocks;
};
inline constexpr std::size_t event_places_max = 20'000;

/// All logs of a range but their data, in as many parts as the node wants. Nothing where it does not have the last
/// block, where there are more than `event_places_max`, and once `until` is over. Throws `node_error`.
std::optional<std::vector<chain_log>> all_logs_in(chain_node& node, const block_range& blocks,
                                                  std::span<const address> ours, steady_time until);
/// Whether two nodes tell the same log, as far as all of them tell it.
bool same_log(const chain_log& one, const chain_log& other);
/// Whether the receipts of its block, by that node, have the log: then it cannot deny it.
bool receipts_have(chain_node& node, const chain_log& log, std::span<const address> ours);

/// The first log that is told and not known, if there is one. Both are in order.
std::optional<chain_log> first_unknown(std::span<const chain_log> told, std::span<const log_mark> known);
/// Whether both name the same events.
bool same_events(std::span<const chain_log> told, std::span<const log_mark> known);

/// Some blocks of those from `first` to `last`, chosen by a number that may be any; nothing where there are none.
std::optional<block_range> some_blocks(block_number first, block_number last, std::uint64_t any);
/// So many at a time.
inline constexpr std::uint64_t some_blocks_max = 100;

} // namespace credence::chain
