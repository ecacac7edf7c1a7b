#pragma once

#include "actors/domain/time.hpp"
#include "http/server/bounds.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace credence::http::admin {

/// Whether writes are let in. An operator may pause that for a while; it opens again by itself. Belongs to the thread
/// of the admin listener.
class intake {
public:
  /// `pause` is what the front looks at.
  explicit intake(write_pause* pause) : pause_(pause) {}

  struct state {
    bool open = true;
    std::optional<timestamp> since, until; // since when it is closed, and when it opens by itself
    std::string reason, by;
  };
  const state& now() const noexcept { return state_; }

  void close(std::string reason, std::string by, timestamp at, std::chrono::minutes most) {
    state_ = {false, at, at + most, std::move(reason), std::move(by)};
    pause_->begin({state_.reason, *state_.until});
  }
  void open() {
    state_ = {};
    pause_->end();
  }
  void tick(timestamp at) {
    if (state_.until && at >= *state_.until)
      open();
  }

private:
  write_pause* pause_;
  state state_;
};

} // namespace credence::http::admin
