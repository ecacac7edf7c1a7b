#pragma once

#include "actors/project/project_types.hpp"

#include <span>

/// Shares of the bullish votes, by weight, over time. `all` is what all votes weigh; `days`, in
/// order of days, go back as far as is asked about, and may begin anywhere before.
namespace credence::project {

/// What votes cast before `end` weigh.
vote_weights weight_before(std::chrono::sys_days end, vote_weights all, std::span<const day_tally> days);

/// Bullish share, in percent; 50 while nothing weighs anything.
double bullish_share(const vote_weights& of);

/// Change of the bullish share, in percentage points with two decimals, over the
/// `window` days that end with `today`.
double share_change(const vote_weights& all, std::span<const day_tally> days, std::chrono::sys_days today,
                    std::int32_t window);

/// The share at the end of each of the last `window` days, oldest first.
std::vector<spark_point> sparkline(const vote_weights& all, std::span<const day_tally> days,
                                   std::chrono::sys_days today, std::int32_t window);

} // namespace credence::project
