#pragma once

#include "actors/chain/chain_actor.hpp"
#include "actors/chain/chain_steps.hpp"
#include "actors/chain/log_checks.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace credence::chain {

/// Ids show that a log is missing: whether some node tells one in these blocks that others withheld.
struct search_gap {
  using answer_type = struct gap_searched;
  block_range blocks;
  std::vector<log_mark> fresh; // events of the newest of the blocks, which are not stored yet; in order
};
struct gap_searched {
  std::optional<log_mark> log; // that was withheld; nothing: none that is proven
  std::vector<std::size_t> by; // nodes that withheld it; they are not asked by the audit any more
};

/// Compares what nodes tell of past blocks with what is stored: where a log is missing, and once an hour in some ranges
/// by chance, each of one node by chance. A difference of that kind is counted and logged, and changes nothing. Always
/// answers.
using chain_audit_handle = actor_handle<search_gap>;

/// Ends with `parent`, and `parent` with it; `nodes` are used on a thread of their own.
chain_audit_handle spawn_chain_audit(actor& parent, std::shared_ptr<const context> with, port<storage> storage,
                                     follow_settings how, node_list nodes);

// What is to be done where ids show that a log is missing.

/// The blocks of the step, and those before them that may be taken back.
search_gap gap_question(const follow_position& at, const blocks_applied& step);

struct gap_repair {
  enum class way : std::uint8_t {
    go_on,      // nothing can be done about it: it is counted
    take_again, // the step, by another node
    take_back,  // to a block before the log
  };
  way how = way::go_on;
  block_mark back;
};
/// `at`: before the step.
gap_repair repair_of(const follow_position& at, const gap_searched& found);

} // namespace credence::chain
