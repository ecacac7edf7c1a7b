#include "actors/kernel/own_turns.hpp"

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

thread_local own_turns* own_turns::current_ = nullptr;

turns_scope::turns_scope(own_turns* to) noexcept : before_(std::exchange(own_turns::current_, to)) {}
turns_scope::~turns_scope() { own_turns::current_ = before_; }

own_turns::own_turns(caf::actor_system& sys, std::function<void()> wake)
  : caf::execution_unit(&sys), wake_(std::move(wake)) {}

own_turns::~own_turns() { hand_over(); }

void own_turns::exec_later(caf::resumable* job) {
  jobs_.push_back(job);
  if (jobs_.size() == 1 && !running_ && wake_)
    wake_();
}

void own_turns::run(std::size_t turns_max) {
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

void own_turns::hand_over() {
  for (auto* const job : std::exchange(jobs_, {}))
    system().scheduler().enqueue(job);
}

} // namespace credence
