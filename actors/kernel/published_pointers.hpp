#pragma once

#include "actors/kernel/chunked_cells.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace credence {

/// A pointer to something immutable for every id, readable from any thread. Each id has one writer at a time; writers
/// of different ids may be different threads.
template <class T>
class published_pointers {
public:
  using pointer = std::shared_ptr<const T>;

  /// Null for an id that nothing is published of, or that is not positive.
  pointer read(std::int32_t id) const noexcept {
    const auto* cell = cells_.find(id);
    return cell ? cell->load(std::memory_order_acquire) : nullptr;
  }

  /// `id` must be positive.
  void write(std::int32_t id, pointer fresh) { cells_.at(id).store(std::move(fresh), std::memory_order_release); }
  /// Writes unless something else than `before` is there.
  void replace(std::int32_t id, pointer before, pointer fresh) {
    cells_.at(id).compare_exchange_strong(before, std::move(fresh), std::memory_order_acq_rel,
                                          std::memory_order_acquire);
  }

private:
  chunked_cells<std::atomic<pointer>, std::size_t{1} << 14> cells_;
};

} // namespace credence
