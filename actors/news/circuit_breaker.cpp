#include "actors/news/circuit_breaker.hpp"

#include <algorithm>

namespace credence::news {

std::optional<circuit_breaker::leave> circuit_breaker::may_send(steady_time now) noexcept {
  if (!lets_through(now))
    return std::nullopt;
  if (state_ == state::open) {
    state_ = state::trial;
    ++turn_;
  }
  return leave{turn_};
}

void circuit_breaker::succeeded(leave with) noexcept {
  if (with.turn != turn_)
    return;
  failures_ = 0;
  if (state_ == state::trial) {
    state_ = state::closed;
    ++turn_;
  }
}

void circuit_breaker::failed(leave with, steady_time now) noexcept {
  if (with.turn != turn_)
    return;
  if (state_ == state::trial || ++failures_ >= failures_max)
    open(now + open_for);
}

void circuit_breaker::told_to_pause(leave with, std::chrono::seconds length, steady_time now) noexcept {
  if (with.turn != turn_)
    return;
  open(now + (length.count() > 0 ? std::min<std::chrono::seconds>(length, pause_max) : open_for));
}

void circuit_breaker::open(steady_time until) noexcept {
  state_ = state::open;
  failures_ = 0;
  until_ = until;
  ++turn_;
}

} // namespace credence::news
