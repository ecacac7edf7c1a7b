#pragma once

#include "actors/chain/chain_audit_actor.hpp"
#include "actors/chain/chain_steps.hpp"

#include <cstdint>

/// What is to be done where ids show that a log is missing.
namespace credence::chain {

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
