#pragma once

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/execution_unit.hpp>
#include <caf/message_id.hpp>
#include <caf/send.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace credence {

/// Runs actors on the thread that sent them their messages. Where one message leads to the next and nobody
/// else waits, as for a vote that comes alone, each hand-over to a sleeping thread would take longer
/// than what that thread then does (decision 34). Belongs to one thread.
class own_turns final : public caf::execution_unit {
public:
  /// `wake` is called when there is a first thing to do; it has `run` called soon, after what the thread
  /// is at. Without one the owner calls `run` by itself.
  explicit own_turns(caf::actor_system& sys, std::function<void()> wake = {});
  own_turns(const own_turns&) = delete;
  own_turns& operator=(const own_turns&) = delete;
  /// The threads that all actors share take what is left.
  ~own_turns() override;

  /// While one of these is there, `post` on this thread leaves receivers to `to`, which may be null.
  class scope {
  public:
    explicit scope(own_turns* to) noexcept : before_(std::exchange(current_, to)) {}
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() { current_ = before_; }

  private:
    own_turns* before_;
  };
  static own_turns* current() noexcept { return current_; }

  /// By actors and `post`: an actor has got something to do.
  void exec_later(caf::resumable* job) override;
  std::size_t waiting() const noexcept { return jobs_.size(); }
  /// Lets actors have their turns, and those that get messages from them, `turns_max` turns in all. What is
  /// left then goes to the shared threads.
  void run(std::size_t turns_max);
  /// The shared threads take it all.
  void hand_over();

private:
  static thread_local own_turns* current_;
  std::function<void()> wake_;
  bool running_ = false;
  std::vector<caf::resumable*> jobs_; // each with a reference that is ours
};

/// Like `caf::anon_send`. Its receiver runs on this thread, soon, when that runs actors at the moment.
template <class Handle, class... Ts>
void post(const Handle& to, Ts&&... message) {
  auto* const here = own_turns::current();
  if (!here)
    return caf::anon_send(to, std::forward<Ts>(message)...); // which also checks the types
  if (to)
    caf::actor_cast<caf::abstract_actor*>(to)->eq_impl(caf::make_message_id(), nullptr, here,
                                                       std::forward<Ts>(message)...);
}

} // namespace credence
