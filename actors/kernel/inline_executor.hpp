#pragma once

#include "actors/kernel/actor.hpp"

#include <caf/execution_unit.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace credence {

/// Runs actors on the thread that sent them their messages. Where one message leads to the next and nobody
/// else waits, as for a vote that comes alone, each hand-over to a sleeping thread would take longer
/// than what that thread then does (decision 34). Belongs to one thread.
class inline_executor final : public caf::execution_unit {
public:
  /// `wake` is called when there is a first thing to do; it has `run` called soon, after what the thread
  /// is at. Without one the owner calls `run` by itself.
  explicit inline_executor(caf::actor_system& sys, std::function<void()> wake = {});
  inline_executor(const inline_executor&) = delete;
  inline_executor& operator=(const inline_executor&) = delete;
  /// The threads that all actors share take what is left.
  ~inline_executor() override;

  using scope = turns_scope;
  static inline_executor* current() noexcept { return current_; }

  /// By actors and `post`: an actor has got something to do.
  void exec_later(caf::resumable* job) override;
  std::size_t waiting() const noexcept { return jobs_.size(); }
  /// Lets actors have their turns, and those that get messages from them, `turns_max` turns in all. What is
  /// left then goes to the shared threads.
  void run(std::size_t turns_max);
  /// The shared threads take it all.
  void hand_over();

private:
  friend class turns_scope;
  static thread_local inline_executor* current_;
  std::function<void()> wake_;
  bool running_ = false;
  std::vector<caf::resumable*> jobs_; // each with a reference that is ours
};

} // namespace credence
