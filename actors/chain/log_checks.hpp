#pragma once

#include "actors/chain/chain_node.hpp"
#include "actors/chain/chain_types.hpp"
#include "actors/chain/follow_types.hpp"
#include "actors/domain/time.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// Whether an endpoint's answer can be true. What fails here is the endpoint's failure, never an event's.
namespace credence::chain {

// -- answers ----------------------------------------------------------------------------------------

/// What makes a list of logs unbelievable.
enum class log_flaw : std::uint8_t {
  outside_range,    // of a block that was not asked for
  removed,          // of a block that is no longer in the chain, as only subscriptions may tell
  not_rising,       // twice, or out of order
  index_falls,      // a transaction's index falls within its block
  foreign_address,  // of a contract that was not asked for
  too_many_topics,  // the machine knows four at most
  two_hashes,       // one block number, two blocks
  other_block,      // of another block than the one asked for by its hash
  two_times,        // one block, two times
  two_transactions, // one index within a block, two transactions
};
/// Such as "a log that was removed".
std::string_view text_of(log_flaw flaw);

/// The answer to `eth_getLogs` for the blocks `from` to `to` and the contracts `ours`.
std::optional<log_flaw> flaw_in_range(std::span<const chain_log> logs, block_number from, block_number to,
                                      std::span<const address> ours);

/// The answer to `eth_getLogs` for one block by its hash.
std::optional<log_flaw> flaw_in_block(std::span<const chain_log> logs, const block_header& header,
                                      std::span<const address> ours);

// -- bloom filters ----------------------------------------------------------------------------------

// The bloom filter of a block's logs (Yellow Paper, 4.3.1): each address and each topic sets three of 2,048 bits,
// which the first three pairs of bytes of its Keccak-256 name.

/// What one value sets; worked out once for an address that is looked for in every block.
class bloom_bits {
public:
  explicit bloom_bits(std::span<const std::byte> value);
  explicit bloom_bits(const address& of) : bloom_bits(std::span{of.bytes}) {}
  /// False: the value is in no log of the block. True proves nothing.
  bool in(const logs_bloom& bloom) const noexcept;
  void add_to(logs_bloom& bloom) const noexcept;

private:
  std::array<std::uint16_t, 3> bits_{}; // from the filter's last bit
};

/// Finds blocks without logs of ours by their headers alone.
class bloom_watch {
public:
  explicit bloom_watch(std::span<const address> ours);
  /// True: no log of the block is ours, so there is nothing to ask for. A bloom without any bit is not believed: nodes
  /// that keep none send that.
  bool rules_out(const logs_bloom& bloom) const noexcept;

private:
  std::vector<bloom_bits> ours_;
};

/// Whether the bloom has the addresses and topics of all logs, as it must where both come from an honest node. A bloom
/// without any bit lacks every log.
bool holds_all(const logs_bloom& bloom, std::span<const chain_log> logs);

// -- logs in parts ----------------------------------------------------------------------------------

// The logs of a block that are too many for one answer of a node: contract by contract, else by the receipts of the
// block's transactions. What comes back has not been checked.

/// Those of a block of the main chain, with its header.
range_logs logs_in_parts(chain_node& from, block_number block, std::span<const address> contracts);

/// Those of one block, by its hash, and in parts only where the node says that they are too many.
std::vector<chain_log> all_logs_of(chain_node& from, const block_header& block, std::span<const address> contracts);

// -- past blocks ------------------------------------------------------------------------------------

// What a node tells of past blocks, beside what is stored of them.

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
/// Whether two nodes returned the same log, by the members that all nodes return.
bool same_log(const chain_log& one, const chain_log& other);
/// Whether the log is in the receipts that the node has of the block, so that it should have returned it.
bool receipts_have(chain_node& node, const chain_log& log, std::span<const address> ours);

/// The first log of `told` that is not in `known`, if there is one. Both are in order.
std::optional<chain_log> first_unknown(std::span<const chain_log> told, std::span<const log_mark> known);
/// Whether both name the same events.
bool same_events(std::span<const chain_log> told, std::span<const log_mark> known);

/// Some blocks of those from `first` to `last`, chosen by a number that may be any; nothing where there are none.
std::optional<block_range> some_blocks(block_number first, block_number last, std::uint64_t any);
/// So many at a time.
inline constexpr std::uint64_t some_blocks_max = 100;

} // namespace credence::chain
