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

} // namespace credence::period
