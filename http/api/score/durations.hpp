#pragma once

#include "actors/domain/time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace credence::http {

/// How far back a history of scores goes, as clients name it; some call half a year `6m`.
inline constexpr std::array<std::string_view, 8> duration_names{"1d", "7d", "30d", "90d", "180d", "6m", "1y", "all"};

/// When the one at this place begins.
inline timestamp start_of(std::size_t duration, timestamp now) {
  constexpr std::array<std::int32_t, 7> days{1, 7, 30, 90, 180, 180, 365}; // but for `all`
  return duration < days.size() ? now - std::chrono::days{days[duration]} : timestamp{};
}

} // namespace credence::http
