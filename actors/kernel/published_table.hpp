#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace credence {

/// A word of 32 bits for every id, readable from any thread without a lock.
/// Grows in chunks as ids appear; one thread writes, others may add.
class published_table {
public:
  published_table() = default;
  published_table(const published_table&) = delete;
  published_table& operator=(const published_table&) = delete;
  ~published_table() {
    for (auto& chunk : chunks_)
      delete[] chunk.load(std::memory_order_relaxed);
  }

  /// 0 for an id that was never written or is not positive.
  std::uint32_t read(std::int32_t id) const noexcept {
    if (id <= 0)
      return 0;
    const auto at = static_cast<std::size_t>(id);
    const auto* chunk = chunks_[at / chunk_size].load(std::memory_order_acquire);
    return chunk ? chunk[at % chunk_size].load(std::memory_order_acquire) : 0;
  }

  /// Owner only; `id` must be positive.
  void write(std::int32_t id, std::uint32_t word) { at(id).store(word, std::memory_order_release); }
  /// Owner only: writes unless another thread has added meanwhile; `before` is then what is there.
  bool replace(std::int32_t id, std::uint32_t& before, std::uint32_t word) {
    return at(id).compare_exchange_strong(before, word, std::memory_order_acq_rel, std::memory_order_acquire);
  }
  /// From any thread: adds to a word that has been written.
  void add(std::int32_t id, std::uint32_t t) noexcept {
    if (id <= 0)
      return;
    const auto place = static_cast<std::size_t>(id);
    if (auto* chunk = chunks_[place / chunk_size].load(std::memory_order_acquire))
      chunk[place % chunk_size].fetch_add(t, std::memory_order_acq_rel);
  }

private:
  using cell = std::atomic<std::uint32_t>;

  cell& at(std::int32_t id) {
    const auto place = static_cast<std::size_t>(id);
    auto& slot = chunks_[place / chunk_size];
    auto* chunk = slot.load(std::memory_order_relaxed);
    if (!chunk) {
      chunk = new cell[chunk_size]{};
      slot.store(chunk, std::memory_order_release);
    }
    return chunk[place % chunk_size];
  }

  static constexpr std::size_t chunk_size = std::size_t{1} << 16;
  std::array<std::atomic<cell*>, (std::size_t{1} << 31) / chunk_size> chunks_{};
};

} // namespace credence
