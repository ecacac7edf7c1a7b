#include "actors/project/tallies.hpp"

#include <cmath>

namespace credence::project {

namespace {

double rounded(double percent) {
  return std::round(percent * 100) / 100;
}

} // namespace

double bullish_share(std::span<const day_tally> days, std::chrono::sys_days end) {
  std::int64_t bullish = 0;
  std::int64_t all = 0;
  for (const auto& tally : days)
    if (tally.day < end) {
      bullish += tally.bullish;
      all += tally.bullish + tally.bearish;
    }
  return all == 0 ? 50.0 : 100.0 * static_cast<double>(bullish) / static_cast<double>(all);
}

double share_change(std::span<const day_tally> tallies, std::chrono::sys_days today, std::int32_t days) {
  const auto end = today + std::chrono::days{1};
  return rounded(bullish_share(tallies, end) - bullish_share(tallies, end - std::chrono::days{days}));
}

std::vector<spark_point> sparkline(std::span<const day_tally> tallies, std::chrono::sys_days today,
                                   std::int32_t days) {
  std::vector<spark_point> out;
  out.reserve(static_cast<std::size_t>(days));
  for (auto day = today - std::chrono::days{days - 1}; day <= today; day += std::chrono::days{1})
    out.push_back({day, rounded(bullish_share(tallies, day + std::chrono::days{1}))});
  return out;
}

} // namespace credence::project
