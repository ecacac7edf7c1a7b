#pragma once

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
/// Appends `iso_text(when)` without a temporary string.
void append_iso_text(std::string& out, timestamp when);

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

} // namespace credence
