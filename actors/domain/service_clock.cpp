#include "actors/domain/service_clock.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <limits>

namespace credence {

namespace {

using std::chrono::microseconds;

constexpr auto not_followed = std::numeric_limits<std::int64_t>::min();
std::atomic<std::int64_t> ahead_of_boot{not_followed}; // microseconds

microseconds distance(microseconds a, microseconds b) { return a < b ? b - a : a - b; }

} // namespace

std::chrono::nanoseconds boot_now() noexcept {
  if (const auto other = steady_clock::in_place.load(std::memory_order_relaxed))
    return other().time_since_epoch();
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

timestamp wall_now() { return std::chrono::time_point_cast<microseconds>(std::chrono::system_clock::now()); }

timestamp system_now() {
  const auto ahead = ahead_of_boot.load(std::memory_order_relaxed);
  if (ahead == not_followed)
    return wall_now();
  return timestamp{std::chrono::duration_cast<microseconds>(boot_now()) + microseconds{ahead}};
}

void follow_boot_clock(microseconds ahead) { ahead_of_boot.store(ahead.count(), std::memory_order_relaxed); }

clock_verdict clock_judge::judge(timestamp before, timestamp theirs, timestamp after, std::chrono::nanoseconds boot) {
  const auto [first, last] = std::minmax(before, after); // it may have jumped back meanwhile
  difference_ = theirs < first ? first - theirs : theirs > last ? last - theirs : microseconds{0};
  const auto ahead = after.time_since_epoch() - std::chrono::duration_cast<microseconds>(boot);
  if (distance(difference_, microseconds{0}) > clock_difference_max)
    return clock_verdict::differs;
  if (ahead_ && distance(ahead, *ahead_) > clock_step_max)
    return clock_verdict::stepped;
  ahead_ = ahead;
  return clock_verdict::good;
}

} // namespace credence
