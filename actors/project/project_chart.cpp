// The chart and the summary of a project: reads that look at its votes over time.
#include "actors/project/project_state.hpp"
#include "actors/project/tallies.hpp"
#include "config/limits.hpp"

#include <algorithm>

namespace credence::project {

using namespace std::chrono_literals;

namespace {

constexpr std::array<std::chrono::minutes, 9> fixed_widths{1min, 5min, 15min, 30min, 1h, 2h, 6h, 12h, 24h};
/// How many points the automatic bucket aims at, at most.
constexpr std::size_t comfortable_points = 200;
/// 1970-01-05 was a Monday.
constexpr std::chrono::sys_days first_monday{std::chrono::days{4}};

std::chrono::year_month_day date_of(timestamp at) {
  return std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(at)};
}

/// Start of the bucket that holds `at`.
timestamp start_of(timestamp at, bucket width) {
  if (width == bucket::month_1) {
    const auto date = date_of(at);
    return std::chrono::sys_days{date.year() / date.month() / 1};
  }
  if (width == bucket::week_1) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const auto since = (day - first_monday).count();
    return day - std::chrono::days{((since % 7) + 7) % 7};
  }
  const std::chrono::microseconds step = fixed_widths[static_cast<std::size_t>(width)];
  const auto since = at.time_since_epoch();
  auto down = since / step * step;
  if (down > since)
    down -= step;
  return timestamp{down};
}

timestamp next_start(timestamp start, bucket width) {
  if (width == bucket::month_1)
    return next_month(start);
  if (width == bucket::week_1)
    return start + std::chrono::days{7};
  return start + fixed_widths[static_cast<std::size_t>(width)];
}

/// Number of buckets that `from`..`to` touches.
std::size_t points_between(timestamp from, timestamp to, bucket width) {
  const auto first = start_of(from, width);
  const auto last = start_of(to, width);
  if (width == bucket::month_1) {
    const auto a = date_of(first);
    const auto b = date_of(last);
    return static_cast<std::size_t>((static_cast<int>(b.year()) - static_cast<int>(a.year())) * 12
                                    + static_cast<int>(static_cast<unsigned>(b.month()))
                                    - static_cast<int>(static_cast<unsigned>(a.month())) + 1);
  }
  const std::chrono::microseconds step = next_start(first, width) - first;
  return static_cast<std::size_t>((last - first) / step) + 1;
}

} // namespace

bucket bucket_for(timestamp from, timestamp to, std::size_t most) {
  for (std::size_t i = 0; i < bucket_names.size(); ++i)
    if (points_between(from, to, static_cast<bucket>(i)) <= most)
      return static_cast<bucket>(i);
  return bucket::month_1;
}

outcome<std::vector<chart_point>> project_state::chart(const get_chart& asked, const period::calendar& periods,
                                                       timestamp now) const {
  const auto in = select(asked.in, periods, now);
  timestamp from{};
  timestamp to = now;
  switch (asked.in.kind) {
    case scope_kind::global:
      if (committed_ == 0)
        return std::vector<chart_point>{};
      from = rows_.front().at;
      to = std::max(to, rows_[committed_ - 1].at);
      break;
    case scope_kind::global_dates:
      from = asked.in.from;
      to = std::min(asked.in.to, now);
      break;
    case scope_kind::current_period:
    case scope_kind::period: {
      const auto* period =
        asked.in.kind == scope_kind::period ? periods.find(asked.in.named) : &periods.current();
      if (!period)
        return refusal{refusal_code::period_not_found, period::no_such(asked.in.named)};
      from = period->starts_at;
      if (period->closed_at)
        to = *period->closed_at;
      // Votes carry their own moment; a stepped clock must not push one off the chart.
      if (in.first < in.last) {
        from = std::min(from, rows_[in.first].at);
        to = std::max(to, rows_[in.last - 1].at);
      }
      break;
    }
  }
  if (to < from)
    return std::vector<chart_point>{};
  const auto width = asked.width.value_or(bucket_for(from, to, comfortable_points));
  const auto points = points_between(from, to, width);
  if (points > limits::chart_points_max) {
    const auto fits = bucket_for(from, to, limits::chart_points_max);
    const auto too_many = std::string{"bucket '"} + bucket_names[static_cast<std::size_t>(width)] + "' needs "
                          + std::to_string(points) + " data points, more than "
                          + std::to_string(limits::chart_points_max);
    if (points_between(from, to, fits) > limits::chart_points_max)
      return refusal{refusal_code::invalid_input, too_many + ", and so does every other; use a later startDate"};
    return refusal{refusal_code::invalid_input, too_many + "; use bucket '"
                                                  + bucket_names[static_cast<std::size_t>(fits)] + "' or a larger one"};
  }

  std::vector<chart_point> out;
  out.reserve(points);
  for (auto start = start_of(from, width); start <= to; start = next_start(start, width))
    out.push_back({start});
  // Rows and points are both in order of time, and so are the rows of one voter.
  auto point = out.begin();
  auto first_in_point = in.first;
  for (auto at = in.first; at < in.last; ++at) {
    const auto& r = rows_[at];
    for (; std::next(point) != out.end() && std::next(point)->bucket_start <= r.at; ++point)
      first_in_point = at;
    ++(r.side() == sentiment::bullish ? point->bullish : point->bearish);
    point->unique_voters += r.previous == none || r.previous < first_in_point;
  }
  std::int64_t bullish = 0;
  std::int64_t bearish = 0;
  for (auto& each : out) {
    each.total_bullish = bullish += each.bullish;
    each.total_bearish = bearish += each.bearish;
  }
  return out;
}

project_summary project_state::summary(const get_summary& asked, const period::calendar& periods,
                                       timestamp now) const {
  const auto today = std::chrono::floor<std::chrono::days>(now);
  project_summary out;
  out.project = id_;
  out.in_period = block(rows_of(asked.in ? asked.in : periods.current().id), asked.top_voters, now);
  out.lifetime = block(all_rows(), asked.top_voters, now);
  if (asked.sparkline_days > 0)
    out.sparkline = sparkline(weight_, days_, today, asked.sparkline_days);
  for (const auto days : asked.delta_days)
    out.deltas.emplace_back(days, share_change(weight_, days_, today, days));
  return out;
}

} // namespace credence::project
