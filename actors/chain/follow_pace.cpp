#include "actors/chain/follow_pace.hpp"

namespace credence::chain {

void step_size::took(std::chrono::nanoseconds commit) noexcept {
  if (commit > slow_)
    events_max_ = std::max(events_max_ / 2, least);
  else if (commit < fast_)
    events_max_ = std::min(events_max_ + std::max<std::size_t>(events_max_ / 10, 1), step_events_max);
}

void follow_pace::stored(std::size_t events, std::chrono::nanoseconds commit) noexcept {
  const bool small = events <= crowded_.events_max();
  if (!small || alone_.events_max() <= crowded_.events_max())
    alone_.took(commit);
  if (small && 2 * events >= crowded_.events_max()) // a step with fewer says nothing of the size
    crowded_.took(commit);
}

void follow_pace::lost() noexcept {
  alone_.took(std::chrono::hours{1});
  crowded_.took(std::chrono::hours{1});
}

std::chrono::milliseconds follow_pace::rest(std::chrono::nanoseconds step, bool crowded) noexcept {
  using namespace std::chrono_literals;
  return crowded ? std::clamp(std::chrono::ceil<std::chrono::milliseconds>(3 * step), 1ms, 1000ms) : 0ms;
}

} // namespace credence::chain
