#include "actors/domain/time.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <limits>

namespace credence {

namespace {

void put_number(char* to, unsigned value, int width) {
  for (int i = width - 1; i >= 0; --i) {
    to[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

} // namespace

std::array<char, 24> iso_characters(timestamp when) {
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day date{day};
  const auto ms = static_cast<unsigned>(std::chrono::floor<std::chrono::milliseconds>(when - day).count());
  constexpr std::string_view form = "0000-00-00T00:00:00.000Z";
  std::array<char, form.size()> out;
  std::copy(form.begin(), form.end(), out.begin());
  char* const text = out.data();
  put_number(text, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  put_number(text + 5, static_cast<unsigned>(date.month()), 2);
  put_number(text + 8, static_cast<unsigned>(date.day()), 2);
  put_number(text + 11, ms / 3'600'000, 2);
  put_number(text + 14, ms / 60'000 % 60, 2);
  put_number(text + 17, ms / 1000 % 60, 2);
  put_number(text + 20, ms % 1000, 3);
  return out;
}

std::string iso_text(timestamp when) {
  const auto text = iso_characters(when);
  return {text.begin(), text.end()};
}

timestamp next_month(timestamp when) {
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(when)};
  const auto next = std::chrono::year_month{date.year(), date.month()} + std::chrono::months{1};
  return std::chrono::sys_days{next / 1};
}

int year_of(timestamp when) {
  return static_cast<int>(std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(when)}.year());
}

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
