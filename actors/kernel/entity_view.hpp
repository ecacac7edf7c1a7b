#pragma once

#include "actors/kernel/ask.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// What operators may ask the router of any family, and have it do.
namespace credence {

/// The actor of one entity as its router sees it.
struct entity_view {
  enum class phase : std::uint8_t { absent, live, stopping, settling, waiting_to_retry };
  static constexpr std::array<std::string_view, 5> phase_names{"absent", "live", "stopping", "settling", "waiting_to_retry"};
  std::int32_t id = 0;
  phase now = phase::absent;
  std::int32_t waiting = 0;       // questions
  std::uint64_t messages = 0;     // passed on to it in its present life
  std::uint32_t failures = 0;     // lately
  std::optional<timestamp> asked; // last
};

/// Those that were passed most in their present lives, the busiest first.
struct list_busiest {
  using answer_type = std::vector<entity_view>;
  std::int32_t limit = 10;
};

/// One of them. It finishes what is under way before it stops, and nobody who waits is lost.
struct look_at_entity {
  using answer_type = entity_view;
  enum class also : std::uint8_t {
    nothing,
    reload, // started afresh from committed rows, if it is in memory
    stop,   // leaves memory
  };
  std::int32_t id = 0;
  also then = also::nothing;
};

} // namespace credence
