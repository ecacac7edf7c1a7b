#include "actors/kernel/pace.hpp"

namespace credence {

void step_size::took(std::chrono::nanoseconds commit) noexcept {
  if (commit > aimed_at_.slow)
    max_ = std::max(max_ / 2, least);
  else if (commit < aimed_at_.fast)
    max_ = std::min(max_ + std::max<std::size_t>(max_ / 10, 1), most_);
}

std::chrono::milliseconds rest_behind(std::chrono::nanoseconds step, bool yielding) noexcept {
  using namespace std::chrono_literals;
  return yielding ? std::clamp(std::chrono::ceil<std::chrono::milliseconds>(8 * step), 1ms, rest_max) : 0ms;
}

} // namespace credence
