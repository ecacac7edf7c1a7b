#pragma once

#include "actors/kernel/chunked_cells.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace credence {

/// A word of 32 bits for every id, readable from any thread without a lock. One thread writes, others may add.
class published_table {
public:
  /// 0 for an id that was never written or is not positive.
  std::uint32_t read(std::int32_t id) const noexcept {
    const auto* cell = cells_.find(id);
    return cell ? cell->load(std::memory_order_acquire) : 0;
  }

  /// Owner only; `id` must be positive.
  void write(std::int32_t id, std::uint32_t word) { cells_.at(id).store(word, std::memory_order_release); }
  /// Owner only: writes unless another thread has added meanwhile; `before` is then what is there.
  bool replace(std::int32_t id, std::uint32_t& before, std::uint32_t word) {
    return cells_.at(id).compare_exchange_strong(before, word, std::memory_order_acq_rel, std::memory_order_acquire);
  }
  /// From any thread: adds to a word that has been written.
  void add(std::int32_t id, std::uint32_t by) noexcept {
    if (auto* cell = cells_.find(id))
      cell->fetch_add(by, std::memory_order_acq_rel);
  }

private:
  chunked_cells<std::atomic<std::uint32_t>, std::size_t{1} << 16> cells_;
};

} // namespace credence
