#pragma once

#include "actors/chain/chain_storage.hpp"
#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/oversight/oversight_types.hpp"

#include <memory>

namespace credence::chain {

/// Follows one chain: stores the events of its contracts in order, each once, and takes back what a reorganisation
/// undoes.
using chain_handle = actor_handle<get_chain_status, find_transaction, await_texts, oversight::count_events>;
struct chain_door {
  using handle = chain_handle;
};

chain_handle spawn_chain(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                         follow_settings how, follow_nodes nodes);

} // namespace credence::chain
