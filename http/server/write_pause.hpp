#pragma once

#include "actors/domain/time.hpp"
#include "ops/metrics.hpp"

#include <atomic>
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

} // namespace credence::http
