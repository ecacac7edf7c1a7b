#pragma once

#include "actors/market/market_types.hpp"

#include <deque>

namespace credence::market {

/// What was a day ago, exactly: a market's volume of the last 24 hours is what it has now
/// less what it had then. Keeps the trades that are next to fall out of the day, up to a
/// bound; when those are used up it has to be loaded again.
class day_window {
public:
  static constexpr std::chrono::hours length{24};
  static constexpr std::size_t kept_max = 1024;

  explicit day_window(stored_window stored)
    : before_(std::move(stored.before)), within_(stored.within.begin(), stored.within.end()), all_(stored.all) {}

  /// A committed trade.
  void add(const traded& trade);
  /// Moves on to what `now` sees. False when that is not known without loading, as when time has gone back.
  bool advance(timestamp now);
  /// As things were a day ago.
  const window_entry& before() const noexcept { return before_; }

private:
  window_entry before_;
  std::deque<window_entry> within_;
  bool all_ = true; // `within_` holds every trade of the day
};

} // namespace credence::market
