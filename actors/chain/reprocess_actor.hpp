#pragma once

#include "actors/chain/kind_replay_actor.hpp"
#include "actors/chain/reprocess_types.hpp"

#include <caf/allowed_unsafe_message_type.hpp>

/// Tries failed events again, on behalf of the follower, which waits meanwhile.
namespace credence::chain {

/// To the follower: an operator wants failed events to be tried again. Sent each second until it comes back with
/// `reprocess_failed`.
struct reprocess_wanted {
  bool near_head_only = false; // a slice has been before: the chain is caught up with first
};
/// From the follower, which stands at that block: go on. None of its blocks may be taken back.
struct reprocess_failed {
  digest32 tip{};
};
/// A slice has ended, that of the last events or one of some seconds; whoever tries them asks again for the next one.
struct failed_reprocessed {};

using reprocess_handle = caf::typed_actor<caf::replies_to<reprocess_failed>::with<failed_reprocessed>>;

/// Spawns it, linked to the follower `parent`.
reprocess_handle spawn_reprocess(caf::local_actor& parent, std::shared_ptr<const context> with, port<storage> storage,
                                 follow_settings how, text_reader_handle texts);

} // namespace credence::chain

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::chain::reprocess_wanted)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::chain::reprocess_failed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::chain::failed_reprocessed)
