#pragma once

#include "http/call/call.hpp"

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

/// Handlers that ask one actor after the other. A function `void handle(call& c, …)` with a `co_await` in it
/// is a coroutine of that call:
///
///   const auto found = co_await c.ask(c.to().people, std::move(question));
///
/// It runs at once, as far as the first question, and goes on with the answer on the call's thread. Whoever
/// calls it does nothing after that. It belongs to its call: when the request has been answered, by a refusal,
/// by a failure or by the deadline, a handler that still waits never goes on, and is destroyed with its call. An
/// exception ends it, and the client gets 500, as from any handler.
///
/// What g++ 12 gets wrong, a handler does without: a `co_await` stands alone in its statement or initialises a
/// variable, outside of braces and of `?:`; a question that holds text or lists is a variable, made before (g++ 12
/// destroys a temporary one twice, or does not compile it). Parameters are references, read before the first
/// `co_await`, or trivially copyable; `c` lasts.
namespace credence::http {

/// A question that a handler waits for.
template <class Q, class Door>
class awaited_question {
public:
  using answer_type = typename std::remove_cvref_t<Q>::answer_type;

  awaited_question(call& by, const Door& whom, Q&& question) noexcept
    : by_(by), whom_(whom), question_(std::forward<Q>(question)) {}

  bool await_ready() const noexcept { return false; }

protected:
  /// `otherwise`: what is called in place of what answers the client where there is no answer.
  template <class... Otherwise>
  void ask(std::coroutine_handle<> waiting, Otherwise... otherwise) {
    by_.ask(
      whom_, std::remove_cvref_t<Q>(std::forward<Q>(question_)),
      [this, waiting](call&, answer_type& came) {
        answer_ = &came;
        waiting.resume();
      },
      otherwise...);
  }

  call& by_;
  answer_type* answer_ = nullptr; // in the envelope, which goes once the handler waits again

private:
  const Door& whom_;
  Q&& question_;
};

/// Waits for the answer to a question. A refusal or a failure answers the client instead.
template <class Q, class Door>
class [[nodiscard]] answer_to : public awaited_question<Q, Door> {
  using base = awaited_question<Q, Door>;

public:
  using base::base;

  void await_suspend(std::coroutine_handle<> waiting) { this->ask(waiting); }
  typename base::answer_type await_resume() { return std::move(*this->answer_); }
};

/// Waits for the answer to a question, or its refusal. A failure answers the client instead.
template <class Q, class Door>
class [[nodiscard]] outcome_of : public awaited_question<Q, Door> {
  using base = awaited_question<Q, Door>;

public:
  using base::base;

  void await_suspend(std::coroutine_handle<> waiting) {
    this->ask(waiting, [this, waiting](call&, const refusal& why) {
      refused_ = &why;
      waiting.resume();
    });
  }
  outcome<typename base::answer_type> await_resume() {
    if (refused_)
      return *refused_;
    return std::move(*this->answer_);
  }

private:
  const refusal* refused_ = nullptr;
};

/// Waits for the answer to a question, or its refusal; nothing where it fails.
template <class Q, class Door>
class [[nodiscard]] outcome_if_any : public awaited_question<Q, Door> {
  using base = awaited_question<Q, Door>;

  struct without_answer {
    void operator()(call&, const refusal& why) const {
      to->refused_ = &why;
      waiting.resume();
    }
    void operator()(call&, failure) const { waiting.resume(); }
    outcome_if_any* to;
    std::coroutine_handle<> waiting;
  };

public:
  using base::base;

  void await_suspend(std::coroutine_handle<> waiting) { this->ask(waiting, without_answer{this, waiting}); }
  std::optional<outcome<typename base::answer_type>> await_resume() {
    if (this->answer_)
      return outcome<typename base::answer_type>{std::move(*this->answer_)};
    if (refused_)
      return outcome<typename base::answer_type>{*refused_};
    return std::nullopt;
  }

private:
  const refusal* refused_ = nullptr;
};

/// The promise of a handler that is a coroutine.
class handler_promise {
public:
  template <class... Rest>
  explicit handler_promise(call& of, Rest&...) noexcept
    : of_(of), link_(of.frames_, std::coroutine_handle<handler_promise>::from_promise(*this)) {}

  void get_return_object() const noexcept {}
  std::suspend_never initial_suspend() const noexcept { return {}; }
  std::suspend_never final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  /// Kept for whoever runs the handlers: clang 14 destroys the variables of a handler twice that lets it through.
  void unhandled_exception() noexcept { of_.thrown_ = std::current_exception(); }

private:
  call& of_;
  frame_list::link link_;
};

} // namespace credence::http

template <class... Rest>
struct std::coroutine_traits<void, credence::http::call&, Rest...> {
  using promise_type = credence::http::handler_promise;
};
