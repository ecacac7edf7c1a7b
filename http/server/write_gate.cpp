#include "http/server/write_gate.hpp"

#include <algorithm>

namespace credence::http {

namespace {

// The moment is shared by all threads, so it is not written for every request.
constexpr std::chrono::nanoseconds precision = std::chrono::milliseconds{1};

} // namespace

write_gate::write_gate(std::uint32_t most, std::chrono::nanoseconds pause)
  : gate_(most ? std::make_shared<gate>(static_cast<std::int32_t>(most)) : nullptr), pause_(pause) {}

bool write_gate::admit(place& into, std::optional<steady_time> early_since, steady_time now) noexcept {
  if (!gate_)
    return true;
  if (early_since && crowded(*early_since))
    return false;
  into = place{gate_};
  if (nearly_full())
    note(now);
  return static_cast<bool>(into);
}

std::int32_t write_gate::room_for_early(steady_time now) const noexcept {
  return !gate_ || crowded(now - pause_) ? 0 : std::max(0, most_early() - gate_->inside());
}

bool write_gate::crowded(steady_time since) const noexcept {
  if (nearly_full())
    return true;
  return steady_time::duration{crowded_at_.load(std::memory_order_relaxed)} > since.time_since_epoch();
}

void write_gate::note(steady_time now) noexcept {
  const auto at = now.time_since_epoch();
  if (at - steady_time::duration{crowded_at_.load(std::memory_order_relaxed)} >= precision)
    crowded_at_.store(at.count(), std::memory_order_relaxed);
}

} // namespace credence::http
