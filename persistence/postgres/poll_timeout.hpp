#pragma once

#include "actors/domain/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace credence::persistence {

/// Milliseconds until `deadline`, rounded up, for poll(); 0 once it has passed.
inline int poll_timeout(steady_time deadline) {
  const auto left = deadline - steady_clock::now();
  if (left <= steady_clock::duration::zero())
    return 0;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count() + 1;
  return static_cast<int>(std::min<std::int64_t>(ms, 3'600'000));
}

} // namespace credence::persistence
