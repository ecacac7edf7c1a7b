#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace credence {

/// Lets one in at a time, in the order in which they came, whatever thread they are on: for work of actors that is long, done
/// piece by piece, and must not take all threads that actors share. Who is in holds a pass; when the last copy of it goes, be it
/// with an actor that died, the next one is let in. Outlived by none of its passes' owners: it is kept by them.
class turnstile : public std::enable_shared_from_this<turnstile> {
public:
  class pass {
  public:
    explicit pass(std::shared_ptr<turnstile> of) : of_(std::move(of)) {}
    pass(const pass&) = delete;
    pass& operator=(const pass&) = delete;
    ~pass() { of_->next(); }

  private:
    std::shared_ptr<turnstile> of_;
  };
  using pass_ptr = std::shared_ptr<pass>;
  /// Gets the pass, at once or later, on the thread of whoever went before. It passes it on in a message, and does nothing else.
  using let_in = std::function<void(pass_ptr)>;

  void wait(let_in who) {
    {
      const std::lock_guard lock{guard_};
      if (std::exchange(taken_, true)) {
        waiting_.push_back(std::move(who));
        return;
      }
    }
    who(std::make_shared<pass>(shared_from_this()));
  }

private:
  void next() {
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
    who(std::make_shared<pass>(shared_from_this()));
  }

  std::mutex guard_;
  bool taken_ = false;
  std::deque<let_in> waiting_;
};

} // namespace credence
