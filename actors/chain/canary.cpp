#include "actors/chain/canary.hpp"

#include "actors/chain/log_bloom.hpp"

#include <algorithm>
#include <vector>

namespace credence::chain {

canary canary_of(chain_node& node, const follow_settings& how) {
  std::vector<address> ours;
  for (const auto& [where, kind] : how.contracts)
    ours.push_back(where);
  try {
    const auto found = node.logs_in({how.start_block, how.start_block}, ours);
    if (!found.last)
      return canary::absent;
    const auto& bloom = found.last->bloom;
    const bool has_logs = std::any_of(bloom.begin(), bloom.end(), [](std::byte each) { return each != std::byte{}; });
    const bool has_ours = std::any_of(found.logs.begin(), found.logs.end(),
                                      [&](const chain_log& each) { return how.contracts.contains(each.from); });
    return !has_ours && has_logs && !bloom_watch{ours}.rules_out(bloom) ? canary::silent : canary::answers;
  } catch (const range_too_large&) {
    return canary::answers; // so many that they do not fit
  }
}

} // namespace credence::chain
