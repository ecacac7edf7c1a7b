#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace credence {

/// What a share of the readers hangs on, the best served first. Whoever is known comes before those who are not, but
/// never so that these get nothing (turns.hpp).
enum class asker_rank : std::uint8_t {
  service,   // actors themselves: what many wait for, or nobody
  console,   // whoever runs the service
  known,     // a profile: its requests count together, whatever they show and wherever they come from
  anonymous, // an address (IPv6: its /64)
};
inline constexpr std::size_t asker_ranks = 4;

/// On whose behalf something is asked.
struct asker {
  asker_rank rank = asker_rank::service;
  std::uint64_t who = 0; // a hash of the profile, the address or the person at the console; 0 for the service
  auto operator<=>(const asker&) const = default;
};

} // namespace credence
