#include "tests/actors/deterministic_world.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace credence::test {

project::stored_project loaded_short(project::stored_project all, period_id open) {
  const auto tallied = static_cast<std::size_t>(all.tallied_through);
  const auto from = tallied < all.votes.size() ? all.votes[tallied].in : open;
  const auto first =
    std::find_if(all.votes.begin(), all.votes.end(), [&](const auto& vote) { return vote.in >= from; });
  if (tallied == 0 || first == all.votes.begin())
    return all;
  all.base = static_cast<entity_seq>(first - all.votes.begin());
  all.from = from;
  all.last_at = std::prev(first)->at;
  all.votes.erase(all.votes.begin(), first);
  const auto reasons = std::exchange(all.reasons, {}); // of these votes alone, so they have other numbers
  for (auto& vote : all.votes)
    if (vote.reason >= 0) {
      all.reasons.push_back(reasons[static_cast<std::size_t>(vote.reason)]);
      vote.reason = static_cast<std::int32_t>(all.reasons.size()) - 1;
    }
  return all;
}

} // namespace credence::test
