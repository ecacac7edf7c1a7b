#pragma once

#include "actors/chain/refold_types.hpp"

#include <variant>

namespace credence::chain {

/// What the follower has on its way to the store, if anything.
using follow_change = std::variant<std::monostate, chain_begun, blocks_applied, blocks_undone, blocks_tried,
                                   kinds_added, events_replayed, event_reprocessed>;

} // namespace credence::chain
