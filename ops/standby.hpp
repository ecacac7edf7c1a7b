#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace credence::ops {

/// What a server that waits to take over (`serve --standby`) tells of whom it waits for. From any thread.
class standby {
public:
  struct told {
    std::string owner; // empty while it is not known
    std::chrono::system_clock::time_point
      until;           // the end of its lease as the database told it last; it is renewed all the time
    bool able = false; // it could take over: the database was reached, and found fit
  };

  /// It waits, since now or still.
  void wait_for(told whom) {
    const std::lock_guard lock{guard_};
    told_ = std::move(whom);
    on_.store(true, std::memory_order_release);
  }
  /// It could not take over now.
  void unable() {
    const std::lock_guard lock{guard_};
    if (told_)
      told_->able = false;
  }
  /// It has taken over; what was made before is seen by whoever sees this.
  void end() {
    const std::lock_guard lock{guard_};
    told_.reset();
    on_.store(false, std::memory_order_release);
  }
  bool on() const noexcept { return on_.load(std::memory_order_acquire); }
  /// Nothing where it does not wait.
  std::optional<told> now() const {
    if (!on())
      return std::nullopt;
    const std::lock_guard lock{guard_};
    return told_;
  }

private:
  std::atomic<bool> on_{false};
  mutable std::mutex guard_;
  std::optional<told> told_;
};

standby& the_standby();

} // namespace credence::ops
