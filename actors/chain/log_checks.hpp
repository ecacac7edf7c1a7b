#pragma once

#include "actors/chain/chain_types.hpp"

#include <optional>
#include <span>
#include <string_view>

/// Whether an endpoint's answer can be true. What fails here is the endpoint's failure, never an event's.
namespace credence::chain {

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

} // namespace credence::chain
