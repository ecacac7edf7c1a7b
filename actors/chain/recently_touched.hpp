#pragma once

#include "actors/chain/apply.hpp"
#include "actors/chain/chain_steps.hpp"
#include "actors/chain/follow_change.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace credence::chain {

/// Which profiles or projects the steps concerned that a reorganisation may still take back, so that those who remember
/// them are told of it before anybody is told that the blocks are gone. It knows steps of this process; of older ones
/// the feed of changes tells.
template <class Id>
class recently_touched {
public:
  /// A step up to `tip` is in, and nothing up to `finalized` will be taken back.
  void applied(block_number tip, block_number finalized, const std::set<Id>& which) {
    const auto settled = std::max(finalized, tip > undo_blocks_max ? tip - undo_blocks_max : 0);
    steps_.erase(steps_.begin(), steps_.upper_bound(settled));
    if (!which.empty() && tip > settled)
      steps_[tip].insert(which.begin(), which.end());
  }
  /// Those of all steps behind that block; they are forgotten with it.
  std::set<Id> taken_back(block_number to) {
    std::set<Id> out;
    const auto first = steps_.upper_bound(to);
    for (auto each = first; each != steps_.end(); ++each)
      out.insert(each->second.begin(), each->second.end());
    steps_.erase(first, steps_.end());
    return out;
  }

private:
  std::map<block_number, std::set<Id>> steps_; // by their last block
};

/// The same of both.
class recently_touched_rows {
public:
  /// A change is in: what others are to be told of it. Rights rested on blocks up to `authority` before it.
  step_effects stored(const follow_change& change, step_effects effects, block_number authority) {
    if (const auto* applied = std::get_if<blocks_applied>(&change)) {
      effects.settled = applied->authority > authority ? applied->authority : 0;
      profiles_.applied(applied->tip.number, applied->finalized, effects.profiles);
      projects_.applied(applied->tip.number, applied->finalized, effects.projects);
    } else if (const auto* back = std::get_if<blocks_undone>(&change))
      return {profiles_.taken_back(back->tip.number), {}, projects_.taken_back(back->tip.number)};
    return effects;
  }

private:
  recently_touched<profile_id> profiles_;
  recently_touched<project_id> projects_;
};

} // namespace credence::chain
