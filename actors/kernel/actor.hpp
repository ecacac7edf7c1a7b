#pragma once

#include "actors/kernel/ask.hpp"
#include "actors/kernel/message.hpp"
#include "actors/kernel/types.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace caf {
class actor_control_block;
class actor_system;
} // namespace caf

/// Actors as the service knows them: who they are, what they take, what they may do. Only the files behind this header
/// know the library that runs them (decision 76).
namespace credence {

class inline_executor;
class actor_cell;
class pending_request;

/// Leads to an actor, whatever it takes, and keeps its address; the actor itself ends when it is told to.
class actor_ref {
public:
  actor_ref() = default;
  actor_ref(std::nullptr_t) {}
  /// Adopts a reference.
  explicit actor_ref(caf::actor_control_block* held) noexcept : held_(held) {}
  actor_ref(const actor_ref& other) noexcept : held_(other.held_) {
    if (held_)
      hold();
  }
  actor_ref(actor_ref&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  actor_ref& operator=(actor_ref other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~actor_ref() {
    if (held_)
      let_go();
  }

  explicit operator bool() const noexcept { return held_ != nullptr; }
  bool operator==(const actor_ref& other) const noexcept { return held_ == other.held_; }
  caf::actor_control_block* get() const noexcept { return held_; }

private:
  void hold() const noexcept;
  void let_go() noexcept;

  caf::actor_control_block* held_ = nullptr;
};

/// The same, but it does not keep the actor in memory.
class weak_actor_ref {
public:
  weak_actor_ref() = default;
  explicit weak_actor_ref(const actor_ref& to) noexcept;
  weak_actor_ref(const weak_actor_ref& other) noexcept;
  weak_actor_ref(weak_actor_ref&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  weak_actor_ref& operator=(weak_actor_ref other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~weak_actor_ref();
  /// Nobody, once the actor is gone.
  actor_ref lock() const noexcept;

private:
  caf::actor_control_block* held_ = nullptr;
};

/// Leads to an actor that takes these kinds of messages and questions. What it does not take cannot be sent to it; it
/// is a plain pointer otherwise, and turns into one that leads to fewer.
template <class... M>
class actor_handle : public actor_ref {
public:
  using takes = types<M...>;

  actor_handle() = default;
  actor_handle(std::nullptr_t) {}
  /// Nobody checks that it takes them.
  explicit actor_handle(const actor_ref& to) noexcept : actor_ref(to) {}
  explicit actor_handle(actor_ref&& to) noexcept : actor_ref(std::move(to)) {}
  template <class... Other>
  requires all_among<takes, types<Other...>> actor_handle(const actor_handle<Other...>& other) : actor_ref(other) {}
};

/// A handle that takes these messages, too.
template <class Handle, class... M>
using extended = made_of<actor_handle, joined<typename Handle::takes, types<M...>>>;

namespace detail {
/// What travels in a mailbox.
struct mail {
  message_ref what;
  pending_request* answer_to = nullptr; // it is the answer to that, and a message otherwise
};
void post(const actor_ref& to, message_ref what);
void send(const actor_ref& to, message_ref what);

/// Hears no answers.
answer_sink& nobody() noexcept;

template <class M>
inline constexpr bool is_ask = false;
template <class Q>
inline constexpr bool is_ask<ask<Q>> = true;
template <class M>
struct kind_sent {
  using type = M;
};
template <class Q>
struct kind_sent<ask<Q>> {
  using type = Q;
};

template <class M>
message_ref as_message(M&& message) {
  using plain = std::remove_cvref_t<M>;
  if constexpr (is_ask<plain>) {
    auto copy = std::forward<M>(message);
    return message_ref{copy.release()};
  } else if constexpr (question_type<plain>)
    return message_ref{new envelope<plain>(std::forward<M>(message), nobody(), steady_time::max())};
  else
    return message_ref{new told<plain>(std::forward<M>(message))};
}
} // namespace detail

/// Sends a message, or a question; one that is no `ask` is answered to nobody. Its receiver runs on this thread, soon,
/// when that runs actors at the moment (inline_executor.hpp).
template <class... Takes, class M>
void post(const actor_handle<Takes...>& to, M&& message) {
  static_assert(among<typename detail::kind_sent<std::remove_cvref_t<M>>::type, types<Takes...>>,
                "the receiver does not take that");
  detail::post(to, detail::as_message(std::forward<M>(message)));
}
/// The same, but its receiver runs on the threads that all actors share, or on its own.
template <class... Takes, class M>
void send(const actor_handle<Takes...>& to, M&& message) {
  static_assert(among<typename detail::kind_sent<std::remove_cvref_t<M>>::type, types<Takes...>>,
                "the receiver does not take that");
  detail::send(to, detail::as_message(std::forward<M>(message)));
}

/// While one of these is there, `post` on this thread leaves receivers to `to` (inline_executor.hpp), which may be
/// null.
class turns_scope {
public:
  explicit turns_scope(inline_executor* to) noexcept;
  turns_scope(const turns_scope&) = delete;
  turns_scope& operator=(const turns_scope&) = delete;
  ~turns_scope();

private:
  inline_executor* before_;
};

/// Tells an actor to end, as it does by itself: what it holds it writes or hands over first.
void tell_to_end(const actor_ref& who);
/// It ends as one does that throws.
void kill(const actor_ref& who);
/// Runs `then` on some thread when the actor has ended, at once if it has: whether it did so by itself or was told to,
/// and why.
void when_gone(const actor_ref& who, std::function<void(bool well, const std::string& why)> then);

/// Something that an actor plans: to plan it anew takes the place of what was planned before.
class timer {
public:
  void cancel() noexcept {
    if (planned_)
      planned_.get()->cancelled = true;
    planned_ = {};
  }

private:
  friend class actor;
  message_ref planned_;
};

/// Requests wait for ever.
inline constexpr std::chrono::milliseconds for_ever = std::chrono::milliseconds::max();

template <class Q>
class request_to;

/// What an actor does: it takes one message after the other and may, meanwhile, do what follows. A class derived from
/// it has a `name`, says in `takes` (a list of types) what it takes, and has an `on(…)` for each: of the message, or of
/// an `ask` of the question.
class actor {
public:
  actor() = default;
  actor(const actor&) = delete;
  actor& operator=(const actor&) = delete;
  virtual ~actor() = default;

  /// Comes back to itself after that time.
  template <class M>
  void after(std::chrono::nanoseconds time, M message) {
    put_later(time, detail::as_message(std::move(message)));
  }
  template <class M>
  void after(timer& what, std::chrono::nanoseconds time, M message) {
    what.cancel();
    what.planned_ = detail::as_message(std::move(message));
    put_later(time, what.planned_);
  }
  /// Comes back to itself behind what waits already.
  template <class M>
  void tell_self(M message) {
    detail::send(this_actor(), detail::as_message(std::move(message)));
  }

  /// Asks another actor, once `then` or `await` of the result says what is done with the answer. After `timeout`
  /// there is none (`failure::timed_out`), also where the receiver ended before it read the question of a request that
  /// has a timeout: the timer holds the envelope until then.
  template <class... Takes, class Q>
  request_to<Q> request(const actor_handle<Takes...>& to, std::chrono::milliseconds timeout, Q question) {
    static_assert(among<Q, types<Takes...>>, "the receiver does not answer that question");
    return {*this, to, timeout, std::move(question)};
  }

  /// Ends after this turn.
  void quit();
  actor_ref this_actor() const;
  caf::actor_system& system() const;
  /// Each of the two ends when the other one fails or is told to end.
  void link_to(const actor_ref& other);

protected:
  /// It is told to end.
  virtual void told_to_end() { quit(); }

private:
  friend class actor_cell;
  template <class Q>
  friend class request_to;

  virtual const char* actor_name() const noexcept = 0;
  /// First, in its own first turn.
  virtual void first_turn() = 0;
  virtual void take_message(message_ref what) = 0;

  void put_later(std::chrono::nanoseconds time, message_ref what);
  void put_question(const actor_ref& to, std::chrono::milliseconds timeout, envelope_base* fresh,
                    pending_request& request, bool alone);

  actor_cell* cell_ = nullptr;
};

/// An actor that has just been spawned, linked to the one that spawned it.
inline actor_ref linked(actor& parent, actor_ref fresh) {
  parent.link_to(fresh);
  return fresh;
}

/// A question of an actor to another one, without its answer: part of the envelope.
class pending_request : public answer_sink {
public:
  explicit pending_request(actor_ref by) noexcept : by_(std::move(by)) {}
  void deliver(envelope_base* answered) noexcept final;
  /// The answer is there, and the asker has a turn.
  virtual void go_on() = 0;
  /// The asker is gone.
  virtual void forget() noexcept = 0;

protected:
  ~pending_request() = default;

private:
  friend class actor_cell;
  actor_ref by_;
  pending_request* before_ = nullptr; // of the asker's
  pending_request* behind_ = nullptr;
};

/// The envelope of a question of an actor.
template <class Q>
class requested final : public pending_request, public envelope<Q> {
public:
  using found_type = std::function<void(typename Q::answer_type&)>;
  using failed_type = std::function<void(failure)>;

  requested(actor_ref by, Q question, found_type found, failed_type failed, question_ref whom)
    : pending_request(std::move(by)), envelope<Q>(std::move(question), *this, steady_time::max()),
      found_(std::move(found)), failed_(std::move(failed)), whom_(std::move(whom)) {
    if (whom_)
      this->speak_for(whom_.get()->by());
  }
  void go_on() override {
    const auto found = std::exchange(found_, {});
    const auto failed = std::exchange(failed_, {});
    if (const auto whom = std::exchange(whom_, {}))
      whom.get()->add_database_time(this->database_time());
    if (auto* answer = this->answer())
      found(*answer);
    else
      failed(this->failed() ? *this->failed() : failure::unavailable);
    this->forget_answer(); // a timer may keep the envelope
  }
  void forget() noexcept override {
    found_ = {};
    failed_ = {};
    whom_ = {};
  }

private:
  found_type found_;
  failed_type failed_;
  question_ref whom_;
};

/// A question of an actor that is about to be asked.
template <class Q>
class [[nodiscard]] request_to {
public:
  request_to(actor& by, actor_ref to, std::chrono::milliseconds timeout, Q question)
    : by_(&by), to_(std::move(to)), timeout_(timeout), question_(std::move(question)) {}

  /// It is asked for a question of somebody: takes that one's share of the readers, and what the database does for it
  /// is added up there.
  request_to&& on_behalf_of(question_ref whom) && {
    whom_ = std::move(whom);
    return std::move(*this);
  }
  /// `found` runs in a later turn of the actor with the answer, or `failed` with the reason why there is none.
  void then(typename requested<Q>::found_type found, typename requested<Q>::failed_type failed) && {
    ask(false, std::move(found), std::move(failed));
  }
  /// The same; until then the actor takes no other message.
  void await(typename requested<Q>::found_type found, typename requested<Q>::failed_type failed) && {
    ask(true, std::move(found), std::move(failed));
  }

private:
  void ask(bool alone, typename requested<Q>::found_type found, typename requested<Q>::failed_type failed) {
    auto* const fresh =
      new requested<Q>(by_->this_actor(), std::move(question_), std::move(found), std::move(failed), std::move(whom_));
    by_->put_question(to_, timeout_, fresh, *fresh, alone);
  }

  actor* by_;
  actor_ref to_;
  std::chrono::milliseconds timeout_;
  Q question_;
  question_ref whom_; // of nobody where the actor itself asks
};

namespace detail {
/// How one kind of message is taken by an actor, which is given by its address.
struct taking {
  message_kind kind;
  void (*take)(void* by, message_ref what);
};
void take_by(std::span<const taking> all, void* by, message_ref what);

template <class State, class M>
void take_one(void* by, message_ref what) {
  auto& state = *static_cast<State*>(by);
  if constexpr (question_type<M>) {
    const ask<M> question{static_cast<envelope<M>*>(what.release())};
    state.on(question);
  } else {
    state.on(static_cast<told<M>*>(what.get())->content);
  }
}
template <class State, class... M>
void take_any(State& by, message_ref what, types<M...>) {
  static constexpr taking all[] = {{&kind_of_message<M>, &take_one<State, M>}...};
  take_by(all, &by, std::move(what));
}

template <class State, class... Args>
class running final : public State {
public:
  explicit running(Args... args) : args_(std::in_place, std::move(args)...) {}

private:
  const char* actor_name() const noexcept override { return State::name; }
  void first_turn() override {
    auto args = *std::exchange(args_, std::nullopt);
    std::apply([this](auto&... each) { this->start(std::move(each)...); }, args);
  }
  void take_message(message_ref what) override { take_any<State>(*this, std::move(what), typename State::takes{}); }

  std::optional<std::tuple<Args...>> args_;
};

enum class thread { shared, own };
actor_ref launch(caf::actor_system& on, std::unique_ptr<actor> what, thread on_which);
} // namespace detail

/// Spawns an actor; `start(args…)` is its first turn, before any message. It runs on the threads that all share.
template <class State, class... Args>
actor_ref spawn(caf::actor_system& sys, Args... args) {
  return detail::launch(sys, std::make_unique<detail::running<State, Args...>>(std::move(args)...),
                        detail::thread::shared);
}
/// The same, on a thread of its own.
template <class State, class... Args>
actor_ref spawn_on_own_thread(caf::actor_system& sys, Args... args) {
  return detail::launch(sys, std::make_unique<detail::running<State, Args...>>(std::move(args)...),
                        detail::thread::own);
}

/// An actor of which functions are all that there is, one for each message and question of the handle.
template <class Handle, class... F>
class actor_of_functions : public actor {
public:
  static inline const char* name = "functions";
  using takes = typename Handle::takes;
  void start(F... each) { all_.emplace(std::move(each)...); }
  void on(auto& message) { (*all_)(message); }

private:
  struct functions : F... {
    explicit functions(F... each) : F{std::move(each)}... {}
    using F::operator()...;
  };
  std::optional<functions> all_;
};
template <class Handle, class... F>
Handle spawn_functions(caf::actor_system& sys, F... each) {
  return Handle{spawn<actor_of_functions<Handle, F...>>(sys, std::move(each)...)};
}

} // namespace credence
