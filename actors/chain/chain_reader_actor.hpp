#pragma once

#include "actors/chain/chain_steps.hpp"
#include "actors/chain/log_checks.hpp"
#include "actors/kernel/actor.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace credence::chain {

/// Looks for the next step from `at`; null: nothing is stored of the chain yet.
struct take_step {
  using answer_type = struct step_taken;
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
  std::int32_t without_past = 0;      // nodes that have no old logs, and are not asked for any
};

struct look_up_transaction {
  using answer_type = struct transaction_looked_up;
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
  using answer_type = struct calls_run;
  std::vector<contract_call> calls;
  block_mark tip;
  bool at_tip = false; // on the state of the tip, else on the newest one
};
struct calls_run {
  std::vector<call_answer> answers; // in the order of the calls; empty: no node that has the tip has answered
};

/// What nodes tell of past blocks, beside what is known of them.
struct compare_logs {
  using answer_type = struct logs_compared;
  block_range blocks;
  std::vector<log_mark> known;     // in order
  std::optional<std::size_t> only; // just this node; nothing: all that may be asked now
  steady_time until{};             // no other question is asked then
};
struct logs_compared {
  std::size_t answered = 0;         // nodes
  std::size_t different = 0;        // of them, those that told other logs than are known
  std::optional<log_mark> withheld; // a log that is not known, and was kept back
  std::vector<std::size_t>
    withheld_by; // nodes that did not tell it although their own receipts have it, or two others tell it
};

/// These nodes told what cannot be true.
struct distrust {
  std::vector<std::size_t> which;
};

/// Asks the nodes of one chain, one question after the other. Always answers.
using chain_reader_handle = actor_handle<take_step, look_up_transaction, run_calls, compare_logs, distrust>;

/// On a thread of its own, on which alone `nodes` are used; ends with `parent`, and `parent` with it.
chain_reader_handle spawn_chain_reader(actor& parent, follow_settings how, node_list nodes);

} // namespace credence::chain
