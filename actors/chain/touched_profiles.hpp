#pragma once

#include "actors/chain/chain_steps.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace credence::chain {

/// Whom the steps concerned that a reorganisation may still take back, so that those who remember these people are told of it
/// before anybody is told that the blocks are gone. It knows steps of this process; of older ones the feed of changes tells.
class touched_profiles {
public:
  /// A step up to `tip` is in, and nothing up to `finalized` will be taken back.
  void applied(block_number tip, block_number finalized, const std::set<profile_id>& whom) {
    const auto settled = std::max(finalized, tip > undo_blocks_max ? tip - undo_blocks_max : 0);
    steps_.erase(steps_.begin(), steps_.upper_bound(settled));
    if (!whom.empty() && tip > settled)
      steps_[tip].insert(whom.begin(), whom.end());
  }
  /// Those of all steps behind that block; they are forgotten with it.
  std::set<profile_id> taken_back(block_number to) {
    std::set<profile_id> out;
    const auto first = steps_.upper_bound(to);
    for (auto each = first; each != steps_.end(); ++each)
      out.insert(each->second.begin(), each->second.end());
    steps_.erase(first, steps_.end());
    return out;
  }

private:
  std::map<block_number, std::set<profile_id>> steps_; // by their last block
};

} // namespace credence::chain
