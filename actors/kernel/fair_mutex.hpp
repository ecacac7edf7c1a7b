#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace credence {

/// Lets one in at a time, in the order in which they came, whatever thread they are on: for work of actors that is
/// long, done piece by piece, and must not take all threads that actors share. Who is in holds a pass; when the last
/// copy of it goes, be it with an actor that died, the next one is let in. Each pass keeps the fair_mutex alive.
class fair_mutex : public std::enable_shared_from_this<fair_mutex> {
public:
  class guard {
  public:
    explicit guard(std::shared_ptr<fair_mutex> of) : of_(std::move(of)) {}
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() { of_->go_on(); }

  private:
    std::shared_ptr<fair_mutex> of_;
  };
  using guard_ptr = std::shared_ptr<guard>;
  /// Called with the pass, perhaps on the thread of the actor that was in before: it only sends a message with it.
  using let_in = std::function<void(guard_ptr)>;

  void wait(let_in who) {
    {
      const std::lock_guard lock{guard_};
      if (std::exchange(taken_, true)) {
        waiting_.push_back(std::move(who));
        return;
      }
    }
    who(std::make_shared<guard>(shared_from_this()));
  }

private:
  /// Lets the next one in. If that waiter is gone, its guard comes back at once; this is noted for the loop under way
  /// instead of recursing, as thousands may be gone when the service ends.
  void go_on() {
    if (letting_in && letting_in->to == this) {
      letting_in->gone_at_once = true;
      return;
    }
    for (turn mine{this}; std::exchange(mine.gone_at_once, false);) {
      let_in who;
      {
        const std::lock_guard lock{guard_};
        if (waiting_.empty()) {
          taken_ = false;
          return;
        }
        who = std::move(waiting_.front());
        waiting_.pop_front();
      }
      auto* const outer = std::exchange(letting_in, &mine);
      who(std::make_shared<guard>(shared_from_this()));
      letting_in = outer;
    }
  }

  /// Somebody is let in by this thread just now.
  struct turn {
    fair_mutex* to;
    bool gone_at_once = true; // as before the first one
  };
  static inline thread_local turn* letting_in = nullptr;

  std::mutex guard_;
  bool taken_ = false;
  std::deque<let_in> waiting_;
};

} // namespace credence
