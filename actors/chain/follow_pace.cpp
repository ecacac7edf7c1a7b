#include "actors/chain/follow_pace.hpp"

namespace credence::chain {

namespace {

using namespace std::chrono_literals;

/// So long may one core be taken from clients at a time.
constexpr auto slow_beside_clients = 8ms, fast_beside_clients = 4ms;

} // namespace

void follow_pace::stored(std::size_t events, std::chrono::nanoseconds commit) noexcept {
  const bool recovers = alone_.max() < under_load_least && commit <= step_size::slow;
  if (recovers)
    alone_.took(0ms);
  else if (events > under_load_ || alone_.max() <= under_load_)
    alone_.took(commit);
  if (events > under_load_ || 2 * events < under_load_)
    return; // it says nothing of small steps
  if (commit > slow_beside_clients)
    under_load_ = std::max(under_load_ / 2, under_load_least);
  else if (commit < fast_beside_clients)
    under_load_ = std::min(under_load_ + under_load_ / 10, step_events_max);
}

void follow_pace::lost() noexcept { alone_.took(1h); }

} // namespace credence::chain
