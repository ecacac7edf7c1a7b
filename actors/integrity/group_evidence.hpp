#pragma once

#include "actors/integrity/bursts.hpp"
#include "actors/integrity/dense_groups.hpp"
#include "actors/integrity/findings.hpp"
#include "actors/integrity/reciprocity.hpp"

#include <vector>

/// What is told of a group, so that an operator can judge for himself.
namespace credence::integrity {

/// Everything that groups are described from; all pairs in order.
struct evidence {
  const std::vector<vote_seen>& votes; // in order of cause and time
  const std::vector<pair_found>& seconds;
  const std::vector<pair_found>& newcomers;
  const std::vector<mutual_found>& mutual;
  const std::vector<burst_found>& bursts;
  const joining_times& joining;
};

/// Describes groups, which may share members, with their signs and the moments at which they acted together; the most
/// unlikely one first. Leaves out groups that chance explains among `people` profiles.
std::vector<found_group> described(std::vector<members> groups, const evidence& from, const bounds& within,
                                   std::size_t people);

} // namespace credence::integrity
