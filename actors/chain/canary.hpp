#pragma once

#include "actors/chain/chain_actor.hpp"
#include "actors/chain/chain_node.hpp"

#include <cstdint>

namespace credence::chain {

/// What a node tells of the first block whose events count. Nodes without old receipts, or with a broken index, answer
/// that a range has no logs, and call it no error.
enum class canary : std::uint8_t {
  answers, // it has logs of ours, or its header says that it has none
  silent,  // its header says that it may have some, and the node tells none: of the past it is not to be asked
  absent,  // the node does not have the block (yet)
};

/// Asks for the block `how.start_block` and its logs. Throws `node_error`.
canary canary_of(chain_node& node, const follow_settings& how);

} // namespace credence::chain
