#pragma once

#include "actors/chain/chain_actor.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace credence::chain {

/// Records have come that wait for their texts.
struct texts_queued {};

/// What the follower and who reads texts know of each other.
struct text_sharing {
  std::atomic<std::int32_t> waiting{0}; // questions that wait for texts
  std::atomic<bool> catching_up{false}; // blocks are applied that are far behind
};

/// Reads texts of followed records, and what else events leave out, from the contracts, behind the commits of the
/// follower, and writes them. It keeps nothing: rows say what is to be read, and what was read for an older wish is
/// left aside.
using text_reader_handle = actor_handle<await_texts, texts_queued>;

/// `nodes` are used on a thread of its own. Ends with `parent`, and `parent` with it.
text_reader_handle spawn_text_reader(actor& parent, std::shared_ptr<const context> with, port<storage> storage,
                                     follow_settings how, node_list nodes, std::shared_ptr<text_sharing> sharing);

} // namespace credence::chain
