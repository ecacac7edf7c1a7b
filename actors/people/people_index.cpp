#include "actors/people/people_index.hpp"

namespace credence::people {

void people_index::publish(const person_row& row) {
  constexpr std::uint32_t told = 0x3FFFF; // score and standing
  const auto standing_now = !row.live ? standing::archived : row.unsettled ? standing::unsettled : standing::live;
  unsettled_.note(row.profile, row.live ? row.unsettled : std::nullopt);
  const auto now = (static_cast<std::uint32_t>(row.score) & 0xFFFF) | static_cast<std::uint32_t>(standing_now) << 16;
  for (auto before = cells_.read(row.profile.value); (before & told) != now;)
    if (cells_.replace(row.profile.value, before, now | ((before >> 24) + 1) << 24)) {
      if ((before & 0xFFFF) != (now & 0xFFFF))
        scores_.fetch_add(1, std::memory_order_release); // behind the score: who sees the number sees that, too
      return;
    }
}

} // namespace credence::people
