#pragma once

#include "actors/domain/time.hpp"
#include "actors/kernel/ask.hpp"
#include "ops/metrics.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace credence::http {

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

/// Bounds the writes under way in the process, and remembers when there were last many.
/// Used from all I/O threads.
class write_gate {
public:
  /// `most` writes at once, 0 for no bound. Where one is refused its connection pauses for
  /// at least `pause`.
  write_gate(std::uint32_t most, std::chrono::nanoseconds pause);

  /// Takes a place for a write. False: it is to be refused. `early_since`: its connection was
  /// refused one then and came back before it was asked to. Such a write finds no place when
  /// more than three quarters are taken, or were since: it may have been sent then.
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

} // namespace credence::http
