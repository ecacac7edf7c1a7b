#pragma once

#include "actors/chain/chain_steps.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <memory>
#include <string>

namespace credence::chain {

/// Looks for the next step from `at`; null: nothing is stored of the chain yet.
struct take_step {
  std::shared_ptr<const follow_position> at;
  step_wish wish;
  timestamp now{};
};
struct step_taken {
  step done;
  bool reached = false;               // a node has answered
  std::string why;                    // of the last node that has not
  std::chrono::milliseconds pause{0}; // until one may be asked again
  bool nobody_left = false;           // every node told what cannot be true
  std::int32_t wrong = 0;             // nodes that did
};

struct look_up_transaction {
  digest32 tx{};
  steady_time until{}; // whoever asked has gone then: no other node is asked
};
struct transaction_looked_up {
  node_transaction transaction;
  bool reached = false;
  std::string why;
};

/// Calls of contracts, by a node that has our tip.
struct run_calls {
  std::vector<contract_call> calls;
  block_mark tip;
  bool at_tip = false; // on the state of the tip, else on the newest one
};
struct calls_run {
  std::vector<call_answer> answers; // in the order of the calls; empty: no node that has the tip has answered
};

/// Asks the nodes of one chain, one question after the other. Always answers.
using chain_reader_handle =
  caf::typed_actor<caf::replies_to<take_step>::with<step_taken>, caf::replies_to<look_up_transaction>::with<transaction_looked_up>,
                   caf::replies_to<run_calls>::with<calls_run>>;

/// On a thread of its own, on which alone `nodes` are used; ends with `parent`, and `parent` with it.
chain_reader_handle spawn_chain_reader(caf::local_actor& parent, follow_settings how, node_list nodes);

} // namespace credence::chain

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::chain::take_step)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::chain::step_taken)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::chain::look_up_transaction)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::chain::transaction_looked_up)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::chain::run_calls)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::chain::calls_run)
