#pragma once

#include "actors/domain/wei.hpp"

#include <chrono>

namespace credence::score {

/// A day of the UTC calendar.
using day = std::chrono::sys_days;

/// Ether that a vouch holds since a day: what was vouched at first, or added later.
struct vouch_part {
  wei amount;
  score::day day{};
  friend bool operator==(const vouch_part&, const vouch_part&) = default;
};
/// More than there can be of ether. A larger part is refused.
inline const wei vouch_part_max = (wei{1} << 128) - 1;

} // namespace credence::score
