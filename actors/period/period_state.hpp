#pragma once

#include "actors/period/period_types.hpp"

#include <atomic>
#include <deque>
#include <memory>

namespace credence::period {

/// The calendar as last committed, readable from any thread without a lock.
/// Written by the period actor only. Older calendars stay alive for readers that
/// still look at one; there is one a month.
class published_calendar {
public:
  /// Null until the first calendar is published.
  const calendar* get() const noexcept { return current_.load(std::memory_order_acquire); }

  /// Owner only.
  void publish(calendar next) {
    kept_.push_back(std::make_unique<const calendar>(std::move(next)));
    current_.store(kept_.back().get(), std::memory_order_release);
  }

private:
  std::deque<std::unique_ptr<const calendar>> kept_;
  std::atomic<const calendar*> current_{nullptr};
};

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
