#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace credence {

/// Wall-clock time, UTC, microseconds since 1970 (what PostgreSQL keeps).
using timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// Where wall-clock time comes from; a test hands in its own.
using wall_clock = timestamp (*)();

/// The machine's wall clock.
timestamp system_now();

/// The machine's steady clock, for everything that waits. A simulation puts another in place.
struct steady_clock {
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr bool is_steady = true;
  static time_point now() noexcept {
    const auto other = in_place.load(std::memory_order_relaxed);
    return other ? other() : std::chrono::steady_clock::now();
  }
  static inline std::atomic<time_point (*)()> in_place{nullptr};
};
using steady_time = steady_clock::time_point;

/// `2026-03-01T12:00:00.000Z`: ISO 8601 with milliseconds, always UTC.
std::string iso_text(timestamp when);
/// The same without a string of its own.
std::array<char, 24> iso_characters(timestamp when);

/// Seconds since 1970, cut off.
constexpr std::int64_t unix_seconds(timestamp when) {
  return std::chrono::floor<std::chrono::seconds>(when).time_since_epoch().count();
}
constexpr std::optional<std::int64_t> unix_seconds(const std::optional<timestamp>& when) {
  return when ? std::optional{unix_seconds(*when)} : std::nullopt;
}

/// First instant of the calendar month after the one that holds `when`, UTC.
timestamp next_month(timestamp when);
/// Calendar year of `when`, UTC.
int year_of(timestamp when);

/// Time since the machine started. It goes on while the machine is suspended or this process is
/// stopped, and nobody can set it. A simulation's steady clock stands in for it.
std::chrono::nanoseconds boot_now() noexcept;

/// The machine's wall clock as it stands, jumps and all. Rows are stamped by `system_now`.
timestamp wall_now();

/// From now on `system_now` is the boot clock and so much: a jump of the wall clock reaches
/// nobody before it was judged. Until the first call it is the wall clock.
void follow_boot_clock(std::chrono::microseconds ahead);

/// Where a judge's clocks come from, and where its verdict goes; a test hands in its own.
struct clock_source {
  wall_clock wall = &wall_now;
  void (*follow)(std::chrono::microseconds ahead) = &follow_boot_clock;
};

/// Whether the wall clock may be believed.
enum class clock_verdict : std::uint8_t {
  good,
  differs, // from the database's by more than `clock_difference_max`
  stepped, // by more than `clock_step_max` while the service ran, however the database agrees
};

inline constexpr std::chrono::seconds clock_difference_max{5};
/// Time servers and administrators correct a clock by less; more is a mistake until a restart says otherwise.
inline constexpr std::chrono::hours clock_step_max{24};

/// Compares the wall clock with the database's, and with how far it was ahead of the boot clock
/// when it was last found good. Knows no clock itself.
class clock_judge {
public:
  /// The wall clock said `before` and `after` around a question that the database answered by
  /// its own clock with `theirs`; `boot` is the boot clock at `after`.
  clock_verdict judge(timestamp before, timestamp theirs, timestamp after, std::chrono::nanoseconds boot);
  /// How far the wall clock is certainly ahead of the database's (negative: behind); of the last judgement.
  std::chrono::microseconds difference() const noexcept { return difference_; }
  /// How far the wall clock was ahead of the boot clock when it was last found good.
  std::optional<std::chrono::microseconds> ahead() const noexcept { return ahead_; }

private:
  std::chrono::microseconds difference_{0};
  std::optional<std::chrono::microseconds> ahead_;
};

} // namespace credence
