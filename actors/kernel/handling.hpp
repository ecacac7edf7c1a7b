#pragma once

#include "actors/kernel/ask.hpp"
#include "ops/metrics.hpp"

namespace credence {

/// Our envelope around one handled question: how long it waited, how long it
/// took. Lives on the handler's stack.
class handling {
public:
  handling(ops::actor_kind kind, steady_time sent_at)
    : to_(ops::the_metrics().of(kind)), started_(steady_clock::now()) {
    if (sent_at != steady_time{})
      to_.oldest_wait_ns.raise_to((started_ - sent_at).count());
  }
  handling(const handling&) = delete;
  handling& operator=(const handling&) = delete;
  ~handling() {
    to_.handled.add();
    to_.handling.observe(steady_clock::now() - started_);
  }

  /// When the handler began.
  steady_time started() const noexcept { return started_; }

private:
  ops::actor_metrics& to_;
  steady_time started_;
};

} // namespace credence
