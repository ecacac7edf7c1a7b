#include "actors/kernel/inline_executor.hpp"

#include <caf/actor_system.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <utility>

namespace credence {

namespace {

/// Messages that an actor handles in a turn: the brief one that woke it. What else came meanwhile may be
/// anything, and is for the shared threads.
constexpr std::size_t messages_a_turn = 1;

} // namespace

thread_local inline_executor* inline_executor::current_ = nullptr;

turns_scope::turns_scope(inline_executor* to) noexcept : before_(std::exchange(inline_executor::current_, to)) {}
turns_scope::~turns_scope() { inline_executor::current_ = before_; }

inline_executor::inline_executor(caf::actor_system& sys, std::function<void()> wake)
  : caf::execution_unit(&sys), wake_(std::move(wake)) {}

inline_executor::~inline_executor() { hand_over(); }

void inline_executor::exec_later(caf::resumable* job) {
  jobs_.push_back(job);
  if (jobs_.size() == 1 && !running_ && wake_)
    wake_();
}

void inline_executor::run(std::size_t turns_max) {
  const scope here{this};
  running_ = true;
  std::size_t next = 0;
  for (; next < jobs_.size() && next < turns_max; ++next) {
    auto* const job = jobs_[next]; // the list may grow meanwhile
    switch (job->resume(this, messages_a_turn)) {
      case caf::resumable::resume_later: system().scheduler().enqueue(job); break;
      default: caf::intrusive_ptr_release(job);
    }
  }
  running_ = false;
  jobs_.erase(jobs_.begin(), jobs_.begin() + static_cast<std::ptrdiff_t>(next));
  hand_over();
}

void inline_executor::hand_over() {
  for (auto* const job : std::exchange(jobs_, {}))
    system().scheduler().enqueue(job);
}

} // namespace credence
