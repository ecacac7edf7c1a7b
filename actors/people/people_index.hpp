#pragma once

#include "actors/people/user_types.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace credence::people {

/// Score and liveness of every profile, readable from any thread without a lock
/// or a message. Written by one owner only, from committed rows: a projection,
/// never a place that decides.
class people_index {
public:
  enum class standing : std::uint8_t { unknown, archived, live };

  people_index() = default;
  people_index(const people_index&) = delete;
  people_index& operator=(const people_index&) = delete;
  ~people_index();

  standing standing_of(profile_id who) const noexcept;
  /// 0 for a profile that is not known.
  std::int32_t score_of(profile_id who) const noexcept;
  /// Grows by one whenever something a User object shows about `who` has changed.
  std::uint8_t version_of(profile_id who) const noexcept;
  std::int64_t live_count() const noexcept { return live_.load(std::memory_order_relaxed); }

  /// Owner only: takes over a committed row.
  void publish(const person_row& row);

private:
  // score in bits 0..15, standing in 16..17, version in 24..31
  using cell = std::atomic<std::uint32_t>;
  static constexpr std::size_t chunk_bits = 16;
  static constexpr std::size_t chunk_size = std::size_t{1} << chunk_bits;
  static constexpr std::size_t chunks_max = (std::size_t{1} << 31) / chunk_size;
  std::uint32_t read(profile_id who) const noexcept;

  std::array<std::atomic<cell*>, chunks_max> chunks_{};
  std::atomic<std::int64_t> live_{0};
};

} // namespace credence::people
