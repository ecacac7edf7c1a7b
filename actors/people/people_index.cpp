#include "actors/people/people_index.hpp"

namespace credence::people {

people_index::~people_index() {
  for (auto& chunk : chunks_)
    delete[] chunk.load(std::memory_order_relaxed);
}

std::uint32_t people_index::read(profile_id who) const noexcept {
  if (!who)
    return 0;
  const auto at = static_cast<std::size_t>(who.value);
  const auto* chunk = chunks_[at >> chunk_bits].load(std::memory_order_acquire);
  return chunk ? chunk[at & (chunk_size - 1)].load(std::memory_order_acquire) : 0;
}

people_index::standing people_index::standing_of(profile_id who) const noexcept {
  return static_cast<standing>(read(who) >> 16 & 3);
}

std::int32_t people_index::score_of(profile_id who) const noexcept {
  return static_cast<std::int32_t>(read(who) & 0xFFFF);
}

std::uint8_t people_index::version_of(profile_id who) const noexcept {
  return static_cast<std::uint8_t>(read(who) >> 24);
}

void people_index::publish(const person_row& row) {
  const auto at = static_cast<std::size_t>(row.profile.value);
  auto& slot = chunks_[at >> chunk_bits];
  auto* chunk = slot.load(std::memory_order_relaxed);
  if (!chunk) {
    chunk = new cell[chunk_size]{};
    slot.store(chunk, std::memory_order_release);
  }
  auto& entry = chunk[at & (chunk_size - 1)];
  const auto before = entry.load(std::memory_order_relaxed);
  const auto standing = row.live ? standing::live : standing::archived;
  const bool was_live = static_cast<people_index::standing>(before >> 16 & 3) == standing::live;
  entry.store(static_cast<std::uint32_t>(row.score) & 0xFFFF
                | static_cast<std::uint32_t>(standing) << 16 | ((before >> 24) + 1) << 24,
              std::memory_order_release);
  live_.fetch_add(static_cast<int>(row.live) - static_cast<int>(was_live),
                  std::memory_order_relaxed);
}

} // namespace credence::people
