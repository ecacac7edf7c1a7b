#pragma once

#include "actors/domain/time.hpp"

#include <chrono>
#include <cstddef>

namespace credence::http {

/// Whether a body comes fast enough. Its first `bytes_per_second_min` bytes may take as long as the whole request:
/// small bodies of slow phones are not cut. From then on, and after a grace, it has to come at that rate at least.
class body_pace {
public:
  static constexpr std::size_t bytes_per_second_min = 1024;
  static constexpr std::chrono::seconds grace{5};

  /// A body begins.
  void begin() noexcept { seen_ = 0; }
  void came(std::size_t bytes, steady_time now) noexcept {
    if (seen_ < bytes_per_second_min && seen_ + bytes >= bytes_per_second_min)
      counted_since_ = now;
    seen_ += bytes;
  }
  bool too_slow(steady_time now) const noexcept {
    if (seen_ < bytes_per_second_min || now - counted_since_ <= grace)
      return false;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - counted_since_ - grace).count();
    return seen_ - bytes_per_second_min < static_cast<std::size_t>(seconds) * bytes_per_second_min;
  }

private:
  std::size_t seen_ = 0;
  steady_time counted_since_{};
};

} // namespace credence::http
