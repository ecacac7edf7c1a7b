#pragma once

#include "actors/domain/time.hpp"
#include "actors/kernel/ask.hpp"
#include "http/call/target.hpp"
#include "http/callers/client_address.hpp"
#include "ops/metrics.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace credence::http {

/// Bounds the writes under way in the process, and remembers when there were last many.
/// Used from all I/O threads.
class write_gate {
public:
  /// `most` writes at once, 0 for no bound. Where one is refused its connection pauses for
  /// at least `pause`.
  write_gate(std::uint32_t most, std::chrono::nanoseconds pause);

  /// Takes a place for a write. False: it is to be refused. `early_since`: this connection was refused then and came
  /// back before its pause was over. Such a write is let in only if at most three quarters of the places are taken, and
  /// were all the time since.
  bool admit(place& into, std::optional<steady_time> early_since, steady_time now) noexcept;
  /// How many that came back early would be let in now.
  std::int32_t room_for_early(steady_time now) const noexcept;
  std::chrono::nanoseconds pause() const noexcept { return pause_; }

private:
  bool nearly_full() const noexcept { return gate_->inside() > most_early(); }
  std::int32_t most_early() const noexcept { return gate_->most() / 4 * 3 + gate_->most() % 4 * 3 / 4; }
  bool crowded(steady_time since) const noexcept;
  void note(steady_time now) noexcept;

  std::shared_ptr<gate> gate_; // null: no bound
  std::chrono::nanoseconds pause_;
  std::atomic<steady_time::rep> crowded_at_{0}; // when it was last nearly full
};

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

/// Rows of a page, and keys of a look-up, that cost its caller as much as one request.
inline constexpr std::int64_t rows_per_request = 50;
inline constexpr std::int64_t keys_per_request = 10;

/// How many requests a read counts for: by the `limit` of its page, in the query or the body, by the ids
/// in its query, and by the items in its body. 1 at least, and for what is malformed, which is refused anyway.
std::int64_t weight_of(const query_map& query, std::string_view body);

/// Bounds how many lines of one kind a thread logs within a second. What is left out is counted in
/// the next second's first line.
class line_bound {
public:
  /// `what_is_left_out` names the line that tells how many there were; it outlives this object.
  explicit line_bound(std::string_view what_is_left_out) : what_is_left_out_(what_is_left_out) {}

  /// Whether one more line may be logged; it is counted either way.
  bool may_add(steady_time now);

private:
  std::string_view what_is_left_out_;
  steady_time until_{};
  int count_ = 0; // of the second that ends then
};

/// A pause of writes that an operator has ordered, as clients are told of it. From any thread.
class write_pause {
public:
  struct told {
    std::string reason;
    timestamp until;
  };

  void begin(told what) {
    const std::lock_guard lock{guard_};
    told_ = std::move(what);
    on_.store(true, std::memory_order_release);
    ops::the_metrics().writes_paused.set(1);
  }
  void end() {
    const std::lock_guard lock{guard_};
    told_.reset();
    on_.store(false, std::memory_order_release);
    ops::the_metrics().writes_paused.set(0);
  }
  /// Nothing while writes are let in.
  std::optional<told> now() const {
    if (!on_.load(std::memory_order_acquire))
      return std::nullopt;
    const std::lock_guard lock{guard_};
    return told_;
  }

private:
  std::atomic<bool> on_{false};
  mutable std::mutex guard_;
  std::optional<told> told_;
};

} // namespace credence::http
