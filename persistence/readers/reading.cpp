#include "persistence/readers/reading.hpp"

namespace credence::persistence {

std::shared_ptr<reading> reading::split() {
  auto rest = std::make_shared<reading>(by_, on_, whose_);
  rest->asked_at = asked_at;
  for (auto i = asked_.size() / 2; i < asked_.size(); ++i)
    rest->add(std::move(asked_[i]), std::move(to_[i]));
  asked_.resize(asked_.size() / 2);
  to_.resize(asked_.size());
  return rest;
}

void reading::run(connection& on, milliseconds timeout) {
  const auto began = steady_clock::now();
  found_ = by_.read(on, asked_, timeout);
  took_ = steady_clock::now() - began;
  if (found_.size() != asked_.size())
    throw database_error(trouble::usage, {}, "a group of loads has another number of answers");
}

void reading::answer() {
  for (std::size_t i = 0; i < to_.size(); ++i) {
    to_[i].who.get()->add_database_time(took_ / static_cast<std::int64_t>(to_.size()));
    to_[i].answer(to_[i].who, found_[i]);
  }
}

void reading::fail(failure why) {
  for (const auto& each : to_)
    each.who.fail(why);
}

std::shared_ptr<reading> gathering::add(const load_handler& by, std::any question, reading::listener to) {
  if (waiting_.empty() || waiting_.back()->size() >= by.how.batch_max)
    waiting_.push_back(std::make_shared<reading>(by, by.how.on));
  waiting_.back()->add(std::move(question), std::move(to));
  return under_way_ ? nullptr : next();
}

std::shared_ptr<reading> gathering::next() {
  under_way_ = waiting_.empty() ? nullptr : waiting_.front();
  if (under_way_)
    waiting_.pop_front();
  return under_way_;
}

bool gathering::split() {
  if (under_way_->size() < 2)
    return false;
  waiting_.push_front(under_way_->split());
  waiting_.push_front(under_way_);
  return true;
}

void gathering::fail(failure why) {
  for (const auto& each : std::exchange(waiting_, {}))
    each->fail(why);
}

} // namespace credence::persistence
