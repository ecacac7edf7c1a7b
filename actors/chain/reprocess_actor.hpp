#pragma once

#include "actors/chain/kind_replay_actor.hpp"
#include "actors/chain/reprocess_types.hpp"

/// Tries failed events again, on behalf of the follower, which waits meanwhile.
namespace credence::chain {

/// To the follower: an operator wants failed events to be tried again. Sent each second until it comes back with
/// `reprocess_failed`.
struct reprocess_wanted {
  bool near_head_only = false; // a slice has been before: the chain is caught up with first
};
/// From the follower, which stands at that block: go on. None of its blocks may be taken back.
struct reprocess_failed {
  using answer_type = struct failed_reprocessed;
  digest32 tip{};
};
/// A slice has ended, that of the last events or one of some seconds; whoever tries them asks again for the next one.
struct failed_reprocessed {};

using reprocess_handle = actor_handle<reprocess_failed>;

/// Spawns it, linked to the follower `parent`.
reprocess_handle spawn_reprocess(actor& parent, std::shared_ptr<const context> with, port<storage> storage,
                                 follow_settings how, text_reader_handle texts);

} // namespace credence::chain
