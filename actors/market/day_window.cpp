#include "actors/market/day_window.hpp"

namespace credence::market {

void day_window::add(const traded& trade) {
  if (all_ && within_.size() < kept_max)
    within_.push_back({trade.at, trade.volume_after, trade.trust_price_after, trade.bought_after});
  else
    all_ = false;
}

bool day_window::advance(timestamp now) {
  while (!within_.empty() && within_.front().at <= now - length) {
    before_ = std::move(within_.front());
    within_.pop_front();
  }
  // A trade that is still within the day was let out, or read as out, by a clock that ran ahead.
  const bool too_far = before_.volume_after != 0 && before_.at > now - length;
  return !too_far && (all_ || !within_.empty());
}

} // namespace credence::market
