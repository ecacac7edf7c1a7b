#include "actors/people/people_index.hpp"

namespace credence::people {

void people_index::publish(const person_row& row) {
  const auto before = cells_.read(row.profile.value);
  const auto standing_now = row.live ? standing::live : standing::archived;
  const bool was_live = static_cast<standing>(before >> 16 & 3) == standing::live;
  cells_.write(row.profile.value, (static_cast<std::uint32_t>(row.score) & 0xFFFF)
                                    | static_cast<std::uint32_t>(standing_now) << 16
                                    | ((before >> 24) + 1) << 24);
  live_.fetch_add(static_cast<int>(row.live) - static_cast<int>(was_live), std::memory_order_relaxed);
}

} // namespace credence::people
