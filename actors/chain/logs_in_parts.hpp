#pragma once

#include "actors/chain/chain_node.hpp"

/// The logs of a block that are too many for one answer of a node: contract by contract, else by the receipts of the
/// block's transactions. What comes back has not been checked.
namespace credence::chain {

/// Those of a block of the main chain, with its header.
range_logs logs_in_parts(chain_node& from, block_number block, std::span<const address> contracts);

/// Those of one block, by its hash, and in parts only where the node says that they are too many.
std::vector<chain_log> all_logs_of(chain_node& from, const block_header& block, std::span<const address> contracts);

} // namespace credence::chain
