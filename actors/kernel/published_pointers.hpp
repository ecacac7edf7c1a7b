#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace credence {

/// A pointer to something immutable for every id, readable from any thread. Grows in chunks as ids appear. Each id has one
/// writer at a time; writers of different ids may be different threads.
template <class T>
class published_pointers {
public:
  using pointer = std::shared_ptr<const T>;

  published_pointers() = default;
  published_pointers(const published_pointers&) = delete;
  published_pointers& operator=(const published_pointers&) = delete;
  ~published_pointers() {
    for (auto& chunk : chunks_)
      delete[] chunk.load(std::memory_order_relaxed);
  }

  /// Null for an id that nothing is published of, or that is not positive.
  pointer read(std::int32_t id) const noexcept {
    if (id <= 0)
      return nullptr;
    const auto place = static_cast<std::size_t>(id);
    const auto* chunk = chunks_[place / chunk_size].load(std::memory_order_acquire);
    return chunk ? chunk[place % chunk_size].load(std::memory_order_acquire) : nullptr;
  }

  /// `id` must be positive.
  void write(std::int32_t id, pointer fresh) { at(id).store(std::move(fresh), std::memory_order_release); }
  /// Writes unless something else than `before` is there.
  void replace(std::int32_t id, pointer before, pointer fresh) {
    at(id).compare_exchange_strong(before, std::move(fresh), std::memory_order_acq_rel, std::memory_order_acquire);
  }

private:
  using cell = std::atomic<pointer>;

  cell& at(std::int32_t id) {
    const auto place = static_cast<std::size_t>(id);
    auto& slot = chunks_[place / chunk_size];
    auto* chunk = slot.load(std::memory_order_acquire);
    if (!chunk) {
      auto fresh = std::make_unique<cell[]>(chunk_size);
      if (slot.compare_exchange_strong(chunk, fresh.get(), std::memory_order_acq_rel, std::memory_order_acquire))
        chunk = fresh.release();
    }
    return chunk[place % chunk_size];
  }

  static constexpr std::size_t chunk_size = std::size_t{1} << 14;
  std::array<std::atomic<cell*>, (std::size_t{1} << 31) / chunk_size> chunks_{};
};

} // namespace credence
