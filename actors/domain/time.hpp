#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace credence {

/// Wall-clock time, UTC, microseconds since 1970 (what PostgreSQL keeps).
using timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// Where wall-clock time comes from; a test hands in its own.
using wall_clock = timestamp (*)();

/// The machine's wall clock.
timestamp system_now();

/// `2026-03-01T12:00:00.000Z`: ISO 8601 with milliseconds, always UTC.
std::string iso_text(timestamp when);
/// Appends `iso_text(when)` without a temporary string.
void append_iso_text(std::string& out, timestamp when);

/// First instant of the calendar month after the one that holds `when`, UTC.
timestamp next_month(timestamp when);
/// Calendar year of `when`, UTC.
int year_of(timestamp when);

} // namespace credence
