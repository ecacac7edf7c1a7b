#pragma once

#include "actors/kernel/ask.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

/// What operators may ask the router of any family, and have it do.
namespace credence {

/// The actor of one entity as its router sees it.
struct entity_view {
  enum class phase : std::uint8_t {
    absent,           // no actor
    live,             // in the list of the living
    stopping,         // told to stop; messages are kept
    settling,         // failed; its writes have no outcome yet; messages are kept
    waiting_to_retry, // failed; not started again before a pause is over
  };
  static constexpr std::array<std::string_view, 5> phase_names{"absent", "live", "stopping", "settling",
                                                               "waiting_to_retry"};
  std::int32_t id = 0;
  phase now = phase::absent;
  std::int32_t waiting = 0;       // questions
  std::uint64_t messages = 0;     // passed on to its present incarnation
  std::uint32_t failures = 0;     // lately
  std::optional<timestamp> asked; // last
};

/// The ids with the most messages, at most so many, the busiest first.
template <class Id>
std::vector<Id> with_most(std::vector<std::pair<std::uint64_t, Id>> all, std::size_t limit) {
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(limit, all.size()));
  std::partial_sort(all.begin(), end, all.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<Id> out;
  std::transform(all.begin(), end, std::back_inserter(out), [](const auto& each) { return each.second; });
  return out;
}

/// Those that were passed most in their present incarnations, the busiest first.
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
