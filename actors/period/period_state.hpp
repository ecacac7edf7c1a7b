#pragma once

#include "actors/period/period_types.hpp"

namespace credence::period {

/// The period that follows: the next number of the same year, or number 1 of a new
/// year; it begins now (never before its predecessor) and is planned to end with
/// the calendar month, UTC.
period_advanced next_period(const calendar& so_far, const electorate& who, timestamp now);

/// Takes a committed advance in.
void apply(calendar& to, const period_advanced& change);

} // namespace credence::period
