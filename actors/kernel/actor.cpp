#include "actors/kernel/actor.hpp"

#include "actors/kernel/inline_executor.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <deque>

// Messages never leave this process, so they carry no serialiser.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::detail::mail)

namespace credence {

namespace {

/// The time of a request is up.
struct time_is_up {
  counted<envelope_base> request;
};
/// More was set aside than one turn takes.
struct take_set_aside {};

/// How many messages that were set aside one turn takes, so that other actors of the thread get theirs.
constexpr int taken_a_turn = 64;

void put(const actor_ref& to, detail::mail what, caf::execution_unit* on) {
  if (to)
    to.get()->enqueue(caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, std::move(what)), on);
}

} // namespace

/// What the library runs: one mailbox, and the actor that takes what comes.
class actor_cell final : public caf::event_based_actor {
public:
  actor_cell(caf::actor_config& config, std::unique_ptr<actor> what)
    : caf::event_based_actor(config), what_(std::move(what)), name_(what_->actor_name()) {
    what_->cell_ = this;
  }

  const char* name() const override { return name_; }

  caf::behavior make_behavior() override {
    set_exit_handler([this](caf::exit_msg& why) {
      why_ = std::move(why.reason);
      if (why_)
        what_->told_to_end();
    });
    what_->first_turn();
    return {[this](detail::mail& came) { handle(came); }};
  }

  void on_exit() override {
    for (auto* each = first_; each; each = each->behind_)
      each->forget();
    first_ = nullptr;
    aside_.clear();
    what_.reset();
  }

  void end() {
    ended_ = true;
    quit(std::move(why_));
  }

  void ask(const actor_ref& to, std::chrono::milliseconds timeout, envelope_base* fresh, pending_request& request,
           bool alone) {
    request.behind_ = first_;
    if (first_)
      first_->before_ = &request;
    first_ = &request;
    if (alone)
      awaited_ = &request;
    if (timeout != for_ever) {
      fresh->ref();
      schedule(timeout, message_ref{new told<time_is_up>({counted<envelope_base>{fresh}})});
    }
    if (!to)
      fresh->settle(failure::unavailable);
    put(to, {message_ref{fresh}}, context());
  }

  void schedule(std::chrono::nanoseconds time, message_ref what) {
    auto& on = clock();
    on.schedule_message(on.now() + std::chrono::duration_cast<caf::actor_clock::duration_type>(time),
                        caf::strong_actor_ptr{ctrl()},
                        caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, detail::mail{std::move(what)}));
  }

private:
  void handle(detail::mail& came) {
    if (came.what.get()->kind() == &kind_of_message<time_is_up>)
      return static_cast<told<time_is_up>*>(came.what.get())->content.request.get()->settle(failure::timed_out);
    if (came.what.get()->kind() == &kind_of_message<take_set_aside>)
      comes_again_ = false;
    else if (awaited_ ? came.answer_to != awaited_ : !aside_.empty())
      aside_.push_back(std::move(came)); // in their order
    else
      take(came);
    const int most = inline_executor::current() ? 0 : taken_a_turn; // a thread that asks has more to do
    for (int taken = 0; !aside_.empty() && !awaited_ && !ended_; ++taken) {
      if (taken == most)
        return come_again();
      auto next = std::move(aside_.front());
      aside_.pop_front();
      take(next);
    }
  }

  void come_again() {
    if (!std::exchange(comes_again_, true))
      put(what_->this_actor(), {message_ref{new told<take_set_aside>{take_set_aside{}}}}, nullptr);
  }

  void take(detail::mail& came) {
    if (auto* const request = came.answer_to) {
      if (awaited_ == request)
        awaited_ = nullptr;
      (request->before_ ? request->before_->behind_ : first_) = request->behind_;
      if (request->behind_)
        request->behind_->before_ = request->before_;
      return request->go_on();
    }
    if (!came.what.get()->cancelled)
      what_->take_message(std::move(came.what));
  }

  std::unique_ptr<actor> what_;
  const char* name_;
  pending_request* first_ = nullptr; // of those that have no answer
  pending_request* awaited_ = nullptr;
  std::deque<detail::mail> aside_; // came while one was awaited
  caf::error why_;
  bool ended_ = false;
  bool comes_again_ = false; // `take_set_aside` is under way
};

void actor_ref::hold() const noexcept { caf::intrusive_ptr_add_ref(held_); }
void actor_ref::let_go() noexcept { caf::intrusive_ptr_release(held_); }

weak_actor_ref::weak_actor_ref(const actor_ref& to) noexcept : held_(to.get()) {
  if (held_)
    caf::intrusive_ptr_add_weak_ref(held_);
}
weak_actor_ref::weak_actor_ref(const weak_actor_ref& other) noexcept : held_(other.held_) {
  if (held_)
    caf::intrusive_ptr_add_weak_ref(held_);
}
weak_actor_ref::~weak_actor_ref() {
  if (held_)
    caf::intrusive_ptr_release_weak(held_);
}
actor_ref weak_actor_ref::lock() const noexcept {
  return held_ && caf::intrusive_ptr_upgrade_weak(held_) ? actor_ref{held_} : actor_ref{};
}

void actor::quit() { cell_->end(); }
actor_ref actor::this_actor() const {
  caf::intrusive_ptr_add_ref(cell_->ctrl());
  return actor_ref{cell_->ctrl()};
}
caf::actor_system& actor::system() const { return cell_->home_system(); }
void actor::link_to(const actor_ref& other) { cell_->link_to(caf::actor_addr{other.get(), true}); }
void actor::put_later(std::chrono::nanoseconds time, message_ref what) { cell_->schedule(time, std::move(what)); }
void actor::put_question(const actor_ref& to, std::chrono::milliseconds timeout, envelope_base* fresh,
                         pending_request& request, bool alone) {
  cell_->ask(to, timeout, fresh, request, alone);
}

void pending_request::deliver(envelope_base* answered) noexcept {
  // The envelope may go with the mail, and this with it.
  const auto by = by_;
  put(by, {message_ref{answered}, this}, nullptr);
}

void tell_to_end(const actor_ref& who) {
  if (who)
    caf::anon_send_exit(caf::strong_actor_ptr{who.get()}, caf::exit_reason::user_shutdown);
}
void kill(const actor_ref& who) {
  if (who)
    caf::anon_send_exit(caf::strong_actor_ptr{who.get()}, caf::exit_reason::kill);
}
void when_gone(const actor_ref& who, std::function<void(bool well, const std::string& why)> then) {
  who.get()->get()->attach_functor([then = std::move(then)](const caf::error& why) {
    // The library reports `exit_reason::normal` (and shutdown) as errors of the exit category.
    then(!why || why == caf::exit_reason::normal || why == caf::exit_reason::user_shutdown, caf::to_string(why));
  });
}

namespace detail {

namespace {
struct no_sink final : answer_sink {
  void deliver(envelope_base* answered) noexcept override { answered->deref(); }
};
} // namespace

answer_sink& nobody() noexcept {
  static no_sink one;
  return one;
}

void post(const actor_ref& to, message_ref what) { put(to, {std::move(what)}, inline_executor::current()); }
void send(const actor_ref& to, message_ref what) { put(to, {std::move(what)}, nullptr); }

void take_by(std::span<const taking> all, void* by, message_ref what) {
  for (const auto& each : all)
    if (each.kind == what.get()->kind())
      return each.take(by, std::move(what));
}

actor_ref launch(caf::actor_system& on, std::unique_ptr<actor> what, thread on_which) {
  const auto born = on_which == thread::own ? on.spawn<actor_cell, caf::detached>(std::move(what))
                                            : on.spawn<actor_cell>(std::move(what));
  auto* const held = caf::actor_cast<caf::strong_actor_ptr>(born).release();
  return actor_ref{held};
}

} // namespace detail

} // namespace credence
