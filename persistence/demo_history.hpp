#pragma once

#include "persistence/demo.hpp"

namespace credence::persistence {

/// Well-mixed bits of a number (splitmix64).
constexpr std::uint64_t demo_mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

/// Archived ones are among the first only, so that load tests can keep clear of them.
constexpr bool demo_archived_profile(std::int32_t profile) { return profile > 10 && profile <= 500 && profile % 97 == 0; }
constexpr bool demo_archived_project(std::int32_t project) { return project > 10 && project <= 40 && project % 13 == 0; }

/// How many votes a demo of this size can hold.
std::int64_t demo_votes_max(const demo_size& size);

/// Loads periods and votes as they would have come about: a period is opened, its votes
/// are copied while it is open, it is closed. Returns the number of periods.
std::int32_t load_demo_history(connection& on, const demo_size& size, timestamp now, steady_time deadline);

} // namespace credence::persistence
