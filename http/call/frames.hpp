#pragma once

#include <coroutine>

namespace credence::http {

/// The handlers of a call that wait for an answer in a `co_await` (http/call/coroutine.hpp). A handler that
/// comes to its end leaves the list by itself; the others are destroyed with the list, and never go on.
class frame_list {
public:
  /// Links a handler into the list, for as long as the handler lives.
  class link {
  public:
    link(frame_list& of, std::coroutine_handle<> frame) noexcept : list_(of), frame_(frame), next_(of.first_) {
      if (next_)
        next_->before_ = this;
      list_.first_ = this;
    }
    ~link() {
      (before_ ? before_->next_ : list_.first_) = next_;
      if (next_)
        next_->before_ = before_;
    }
    link(const link&) = delete;
    link& operator=(const link&) = delete;

  private:
    friend class frame_list;
    frame_list& list_;
    std::coroutine_handle<> frame_;
    link* before_ = nullptr;
    link* next_;
  };

  frame_list() = default;
  ~frame_list() { destroy_all(); }
  frame_list(const frame_list&) = delete;
  frame_list& operator=(const frame_list&) = delete;

  /// Destroys whoever waits. None of them may be running.
  void destroy_all() noexcept {
    while (first_)
      first_->frame_.destroy(); // unlinks itself
  }

private:
  link* first_ = nullptr;
};

} // namespace credence::http
