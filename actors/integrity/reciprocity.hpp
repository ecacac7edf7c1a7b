#pragma once

#include "actors/integrity/co_votes.hpp"

#include <array>
#include <vector>

/// Who speaks well of whom, both ways.
namespace credence::integrity {

/// Two profiles that speak well of each other.
struct mutual_found {
  std::uint64_t pair = 0;
  std::array<bool, tie_kinds> kinds{};
  double decades = 0; // friends do so, too: at most two for each kind

  int count() const noexcept { return kinds[0] + kinds[1] + kinds[2]; }
};

/// All pairs that are tied both ways, by pair. A tie back is the less likely by chance the fewer ties the one has given
/// and the other received.
std::vector<mutual_found> mutual_ties(const std::vector<tie_seen>& ties);

} // namespace credence::integrity
