#include "actors/chain/gap_repair.hpp"

#include <algorithm>

namespace credence::chain {

search_gap gap_question(const follow_position& at, const blocks_applied& step) {
  const auto newest = step.events.empty() ? step.tip.number : std::max(step.tip.number, step.events.back().block);
  search_gap out{{at.blocks.front().number + 1, newest}, {}};
  for (const auto& each : step.events)
    out.fresh.push_back(place_of(each));
  return out;
}

gap_repair repair_of(const follow_position& at, const gap_searched& found) {
  if (!found.log || found.by.empty())
    return {};
  if (found.log->block > at.tip.number) { // of the step; what is stored of its first block stays
    const bool too_late =
      at.within && found.log->block == at.tip.number + 1 && found.log->log_index <= at.within->log_index;
    return {too_late ? gap_repair::way::go_on : gap_repair::way::take_again, {}};
  }
  const auto behind = std::find_if(at.blocks.rbegin(), at.blocks.rend(),
                                   [&](const block_mark& each) { return each.number < found.log->block; });
  return behind == at.blocks.rend() || at.within ? gap_repair{} : gap_repair{gap_repair::way::take_back, *behind};
}

} // namespace credence::chain
