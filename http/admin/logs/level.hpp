#pragma once

#include "actors/domain/time.hpp"
#include "ops/log_ring.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace credence::http::admin {

/// The level of the log: the configured one, or another one for a while. Belongs to the thread of the admin listener.
class log_level {
public:
  explicit log_level(std::string configured) : configured_(configured), now_(std::move(configured)) {}

  const std::string& now() const noexcept { return now_; }
  const std::string& configured() const noexcept { return configured_; }
  const std::optional<timestamp>& until() const noexcept { return until_; }
  const std::optional<std::string>& by() const noexcept { return by_; }

  void set(std::string level, std::string by, timestamp at, std::chrono::minutes most) {
    now_ = std::move(level);
    by_ = std::move(by);
    until_ = at + most;
    ops::set_log_level(now_);
  }
  void reset() {
    now_ = configured_;
    by_.reset();
    until_.reset();
    ops::set_log_level(now_);
  }
  void tick(timestamp at) {
    if (until_ && at >= *until_)
      reset();
  }

private:
  std::string configured_, now_;
  std::optional<std::string> by_;
  std::optional<timestamp> until_;
};

} // namespace credence::http::admin
