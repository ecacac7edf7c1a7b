// The chart of a project: its votes over time.
#include "actors/project/project_state.hpp"
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

/// Counts the votes of a selection by points. Rows and points are both in order of time, and so are the
/// rows of one voter.
class project_state::chart_read final : public long_read<std::vector<chart_point>> {
public:
  /// `on_top`: running totals begin with the votes before.
  chart_read(const project_state& of, const selection& in, std::vector<chart_point> points, bool on_top)
    : of_(of), in_(in), at_(in.first), first_in_point_(in.first) {
    answer = std::move(points);
    before_at_ = in.first;
    if (!on_top || in.first == 0)
      return;
    // Whole periods are summed already.
    const auto last = of.run_of(in.first);
    for (auto run = of.runs_.begin(); run != last; ++run) {
      bullish_ += run->totals.bullish_votes;
      bearish_ += run->totals.bearish_votes;
    }
    before_at_ = last->first;
  }

  bool work(std::size_t votes) override {
    for (; before_at_ < in_.first && votes > 0; ++before_at_, --votes)
      ++(of_.rows_[before_at_].side() == sentiment::bullish ? bullish_ : bearish_);
    for (; before_at_ == in_.first && at_ < in_.last && votes > 0; ++at_, --votes)
      count(at_);
    if (before_at_ < in_.first || at_ < in_.last)
      return false;
    for (auto& each : answer) {
      each.total_bullish = bullish_ += each.bullish;
      each.total_bearish = bearish_ += each.bearish;
    }
    return true;
  }

private:
  void count(std::uint32_t at) {
    const auto& r = of_.rows_[at];
    for (; point_ + 1 < answer.size() && answer[point_ + 1].bucket_start <= r.at; ++point_)
      first_in_point_ = at;
    auto& point = answer[point_];
    ++(r.side() == sentiment::bullish ? point.bullish : point.bearish);
    point.unique_voters += r.previous == none || r.previous < first_in_point_;
  }

  const project_state& of_;
  selection in_;
  std::uint32_t before_at_ = 0;
  std::int64_t bullish_ = 0; // before the first point
  std::int64_t bearish_ = 0;
  std::uint32_t at_;
  std::uint32_t first_in_point_;
  std::size_t point_ = 0;
};

outcome<long_read_ptr<std::vector<chart_point>>>
project_state::chart(const get_chart& query, const period::calendar& periods, timestamp now) const {
  const auto in = select(query.in, periods, now);
  const auto nothing = [&] {
    return long_read_ptr<std::vector<chart_point>>{
      std::make_shared<chart_read>(*this, selection{}, std::vector<chart_point>{}, false)};
  };
  timestamp from{};
  timestamp to = now;
  switch (query.in.kind) {
    case scope_kind::global:
      if (committed_ == 0)
        return nothing();
      from = rows_.front().at;
      to = std::max(to, rows_[committed_ - 1].at);
      break;
    case scope_kind::global_dates:
      from = query.in.from;
      to = std::min(query.in.to, now);
      break;
    case scope_kind::current_period:
    case scope_kind::period: {
      const auto* period = query.in.kind == scope_kind::period ? periods.find(query.in.named) : &periods.current();
      if (!period)
        return refusal{refusal_code::period_not_found, period::no_such(query.in.named)};
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
    return nothing();
  const auto width = query.width.value_or(bucket_for(from, to, comfortable_points));
  const auto points = points_between(from, to, width);
  if (points > limits::chart_points_max) {
    const auto fits = bucket_for(from, to, limits::chart_points_max);
    const auto too_many = std::string{"bucket '"} + bucket_names[static_cast<std::size_t>(width)] + "' needs "
                          + std::to_string(points) + " data points, more than "
                          + std::to_string(limits::chart_points_max);
    if (points_between(from, to, fits) > limits::chart_points_max)
      return refusal{refusal_code::invalid_input, too_many + ", and so does every other; use a later startDate"};
    return refusal{refusal_code::invalid_input,
                   too_many + "; use bucket '" + bucket_names[static_cast<std::size_t>(fits)] + "' or a larger one"};
  }

  std::vector<chart_point> out;
  out.reserve(points);
  for (auto start = start_of(from, width); start <= to; start = next_start(start, width))
    out.push_back({start});
  return long_read_ptr<std::vector<chart_point>>{
    std::make_shared<chart_read>(*this, in, std::move(out), query.in.kind == scope_kind::global_dates)};
}

} // namespace credence::project
