#pragma once

#include "http/callers/client_address.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace credence::http {

/// Bounds the memory of answers that clients have not taken yet. A large answer needs room before
/// it is written; small ones are counted and never refused, as `connections_max` of them is a bound,
/// too. Nobody's answers fill more than a part of the room, so that who reads nothing does not turn
/// everybody else away. For all threads.
class unsent_answers {
public:
  /// An answer up to this size is small: mostly the system takes it at once.
  static constexpr std::size_t small_bytes = 16 * 1024;
  /// One address gets this part of the room at most.
  static constexpr std::size_t parts = 4;

  explicit unsent_answers(std::size_t most) : most_(most) {}
  std::int64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  /// Room for one answer, held until it is written or given up.
  class room {
  public:
    room() = default;
    room(const room&) = delete;
    room& operator=(const room&) = delete;
    ~room() { give_back(); }

    /// False when there is none.
    bool take(unsent_answers& from, const client_address& whom, std::size_t bytes) {
      give_back();
      if (!share_.take(from.by_address_, whom, bytes, from.most_ / parts))
        return false;
      if (from.add(bytes) <= from.most_) {
        hold(from, bytes);
        return true;
      }
      from.add(-static_cast<std::int64_t>(bytes));
      share_.give_back();
      return false;
    }
    /// For what must be answered, whoever it is for and whether there is room or not.
    void take_anyway(unsent_answers& from, std::size_t bytes) noexcept {
      give_back();
      from.add(bytes);
      hold(from, bytes);
    }
    bool held() const noexcept { return from_ != nullptr; }
    void give_back() noexcept {
      share_.give_back();
      if (auto* from = std::exchange(from_, nullptr))
        from->add(-static_cast<std::int64_t>(bytes_));
    }

  private:
    void hold(unsent_answers& from, std::size_t bytes) noexcept {
      from_ = &from;
      bytes_ = bytes;
    }
    unsent_answers* from_ = nullptr;
    std::size_t bytes_ = 0;
    address_share share_;
  };

private:
  std::size_t add(std::int64_t bytes) noexcept {
    return static_cast<std::size_t>(bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
  }
  const std::size_t most_;
  std::atomic<std::int64_t> bytes_{0};
  address_shares by_address_;
};

} // namespace credence::http
