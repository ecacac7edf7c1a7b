#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace credence {

/// An atomic cell for every id, in chunks that appear with their ids and stay. Any thread may look cells up and make
/// them.
template <class Cell, std::size_t chunk_size>
class chunked_cells {
public:
  chunked_cells() = default;
  chunked_cells(const chunked_cells&) = delete;
  chunked_cells& operator=(const chunked_cells&) = delete;
  ~chunked_cells() {
    for (auto& chunk : chunks_)
      delete[] chunk.load(std::memory_order_relaxed);
  }

  /// Null for an id whose chunk nobody has written to, and for one that is not positive.
  Cell* find(std::int32_t id) const noexcept {
    if (id <= 0)
      return nullptr;
    const auto place = static_cast<std::size_t>(id);
    auto* chunk = chunks_[place / chunk_size].load(std::memory_order_acquire);
    return chunk ? &chunk[place % chunk_size] : nullptr;
  }

  /// `id` must be positive.
  Cell& at(std::int32_t id) {
    const auto place = static_cast<std::size_t>(id);
    auto& slot = chunks_[place / chunk_size];
    auto* chunk = slot.load(std::memory_order_acquire);
    if (!chunk) {
      auto fresh = std::make_unique<Cell[]>(chunk_size);
      if (slot.compare_exchange_strong(chunk, fresh.get(), std::memory_order_acq_rel, std::memory_order_acquire))
        chunk = fresh.release();
    }
    return chunk[place % chunk_size];
  }

private:
  std::array<std::atomic<Cell*>, (std::size_t{1} << 31) / chunk_size> chunks_{};
};

} // namespace credence
