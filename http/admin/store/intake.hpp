#pragma once

#include "actors/domain/time.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

namespace credence::http::admin {

/// Whether writes are let in. An operator may pause that for a while; it opens again by itself. Belongs to the thread of the admin listener.
class intake {
public:
  /// `closed` is what the front looks at.
  explicit intake(std::atomic<bool>* closed) : closed_(closed) {}

  struct state {
    bool open = true;
    std::optional<timestamp> since, until; // since when it is closed, and when it opens by itself
    std::string reason, by;
  };
  const state& now() const noexcept { return state_; }

  void close(std::string reason, std::string by, timestamp at, std::chrono::minutes most) {
    state_ = {false, at, at + most, std::move(reason), std::move(by)};
    closed_->store(true);
  }
  void open() {
    state_ = {};
    closed_->store(false);
  }
  void tick(timestamp at) {
    if (state_.until && at >= *state_.until)
      open();
  }

private:
  std::atomic<bool>* closed_;
  state state_;
};

} // namespace credence::http::admin
