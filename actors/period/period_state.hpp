#pragma once

#include "actors/period/period_types.hpp"

namespace credence::period {

/// The period that follows: the next number of the same year, or number 1 of a new
/// year; it begins now (never before its predecessor) and is planned to end with
/// the calendar month, UTC.
period_advanced next_period(const calendar& so_far, const electorate& who, timestamp now);

/// Whether the open period ends by itself.
enum class ending : std::uint8_t {
  later,
  now,
  too_late, // its planned end is so long past that the clock is more likely wrong; an admin may open the next one
};
inline constexpr std::chrono::days ending_late_max{366};
ending ending_of(const voting_period& open, timestamp now);

/// Takes a committed advance in.
void apply(calendar& to, const period_advanced& change);

} // namespace credence::period
