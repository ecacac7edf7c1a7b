#include "actors/project/tallies.hpp"

#include <algorithm>
#include <cmath>

namespace credence::project {

namespace {

double rounded(double percent) { return std::round(percent * 100) / 100; }

} // namespace

vote_weights weight_before(std::chrono::sys_days end, vote_weights all, std::span<const day_tally> days) {
  for (auto tally = days.rbegin(); tally != days.rend() && tally->day >= end; ++tally) {
    all.bullish -= tally->weight.bullish;
    all.bearish -= tally->weight.bearish;
  }
  return all;
}

double bullish_share(const vote_weights& of) {
  return of.all() == 0 ? 50.0 : 100.0 * static_cast<double>(of.bullish) / static_cast<double>(of.all());
}

double share_change(const vote_weights& all, std::span<const day_tally> days, std::chrono::sys_days today,
                    std::int32_t window) {
  const auto end = today + std::chrono::days{1};
  return rounded(bullish_share(weight_before(end, all, days))
                 - bullish_share(weight_before(end - std::chrono::days{window}, all, days)));
}

std::vector<spark_point> sparkline(const vote_weights& all, std::span<const day_tally> days,
                                   std::chrono::sys_days today, std::int32_t window) {
  std::vector<spark_point> out;
  out.reserve(static_cast<std::size_t>(window));
  auto weight = all;
  auto later = days;
  for (auto day = today; day > today - std::chrono::days{window}; day -= std::chrono::days{1}) {
    weight = weight_before(day + std::chrono::days{1}, weight, later);
    while (!later.empty() && later.back().day > day)
      later = later.first(later.size() - 1);
    out.push_back({day, rounded(bullish_share(weight))});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

} // namespace credence::project
