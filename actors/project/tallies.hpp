#pragma once

#include "actors/project/project_types.hpp"

#include <span>

namespace credence::project {

/// Bullish share, in percent, of all votes cast before `end`; 50 while there are none.
double bullish_share(std::span<const day_tally> days, std::chrono::sys_days end);

/// Change of the bullish share, in percentage points with two decimals, over the
/// `days` days that end with `today`.
double share_change(std::span<const day_tally> tallies, std::chrono::sys_days today, std::int32_t days);

/// The share at the end of each of the last `days` days, oldest first.
std::vector<spark_point> sparkline(std::span<const day_tally> tallies, std::chrono::sys_days today,
                                   std::int32_t days);

} // namespace credence::project
