#pragma once

#include "actors/domain/time.hpp"

#include <cstdint>
#include <optional>

namespace credence::news {

/// Keeps from asking somebody who does not answer. After `failures_max` failures in a row it opens:
/// nothing is sent for `open_for`, then one trial, whose outcome closes it or opens it again. Whoever
/// is asked may also ask to be left alone. Outcomes of what was sent before it opened do not count.
class circuit_breaker {
public:
  enum class state : std::uint8_t { closed, open, trial };

  static constexpr int failures_max = 5;
  static constexpr std::chrono::seconds open_for{30};
  static constexpr std::chrono::minutes pause_max{15};

  /// What is sent with leave; its outcome is owed.
  struct leave {
    std::uint64_t turn = 0;
  };

  /// Leave to send something now; nothing while it is open, or the trial under way.
  std::optional<leave> may_send(steady_time now) noexcept;
  /// Whether `may_send` would give leave.
  bool lets_through(steady_time now) const noexcept {
    return state_ == state::closed || (state_ == state::open && now >= until_);
  }

  void succeeded(leave with) noexcept;
  void failed(leave with, steady_time now) noexcept;
  /// Whoever was asked wants a pause; `length` of 0: it did not say how long a one, which then is
  /// `open_for`. Longer ones than `pause_max` are cut.
  void told_to_pause(leave with, std::chrono::seconds length, steady_time now) noexcept;

  state now_in() const noexcept { return state_; }

private:
  void open(steady_time until) noexcept;

  state state_ = state::closed;
  int failures_ = 0;       // in a row, while closed
  steady_time until_{};    // while open
  std::uint64_t turn_ = 0; // grows with every change of state
};

} // namespace credence::news
