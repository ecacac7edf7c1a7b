#pragma once

#include "actors/chain/chain_steps.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace credence::chain {

/// Which profiles or projects the steps concerned that a reorganisation may still take back, so that those who remember them
/// are told of it before anybody is told that the blocks are gone. It knows steps of this process; of older ones the feed of
/// changes tells.
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

} // namespace credence::chain
