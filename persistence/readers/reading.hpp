#pragma once

#include "actors/domain/time.hpp"
#include "ops/metrics.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/manner.hpp"

#include <caf/error.hpp>
#include <caf/sec.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// Questions on their way through the read connections: how each kind is read, alone or in groups.
namespace credence::persistence {

/// Questions on their way through the pool: run by a reader, answered by the pool.
class reading {
public:
  explicit reading(manner how) : how_(how) {}
  virtual ~reading() = default;
  const manner& how() const noexcept { return how_; }
  virtual void run(connection& on, milliseconds timeout) = 0;
  /// Tells each asker what was found.
  virtual void answer() = 0;
  virtual void fail(const caf::error& why) = 0;
  virtual std::size_t size() const noexcept { return 1; }
  /// When the first of them was asked.
  steady_time asked_at = steady_clock::now();

private:
  manner how_;
};

/// Read in groups: all of one are asked by one statement.
template <class Q>
concept read_in_groups = requires(connection& on, std::span<const Q> questions, steady_time deadline) {
  read(on, questions, deadline);
};
/// Read in pieces, each under the timeout.
template <class Q>
concept read_in_pieces = requires(connection& on, const Q& question, milliseconds timeout) {
  read(on, question, timeout);
};

/// The answer to one question, by its own `read`.
template <class Q>
auto read_within(connection& on, const Q& question, milliseconds timeout) {
  if constexpr (read_in_pieces<Q>)
    return read(on, question, timeout);
  else
    return read(on, question, deadline_in(timeout));
}
template <class Q>
using answer_to = decltype(read_within(std::declval<connection&>(), std::declval<const Q&>(), milliseconds{}));
/// The answers to a group, in its order.
template <class Q>
using answers_to = decltype(read(std::declval<connection&>(), std::declval<std::span<const Q>>(), steady_time{}));

/// One question.
template <class Q>
class single_reading final : public reading {
public:
  using answer_type = answer_to<Q>;

  single_reading(manner how, Q question, caf::typed_response_promise<answer_type> to)
    : reading(how), asked_(std::move(question)), to_(std::move(to)) {}
  void run(connection& on, milliseconds timeout) override { found_.emplace(read_within(on, asked_, timeout)); }
  void answer() override { to_.deliver(std::move(*found_)); }
  void fail(const caf::error& why) override { to_.deliver(why); }

private:
  Q asked_;
  caf::typed_response_promise<answer_type> to_;
  std::optional<answer_type> found_;
};

/// Questions of one kind that one statement answers.
template <class Q>
class group_reading final : public reading {
public:
  using answer_type = typename answers_to<Q>::value_type;
  using promise = caf::typed_response_promise<answer_type>;
  using reading::reading;

  void add(Q question, promise to) {
    asked_.push_back(std::move(question));
    to_.push_back(std::move(to));
  }
  std::size_t size() const noexcept override { return asked_.size(); }
  /// Parts with its second half.
  std::shared_ptr<group_reading> split() {
    auto rest = std::make_shared<group_reading>(how());
    rest->asked_at = asked_at;
    for (auto i = asked_.size() / 2; i < asked_.size(); ++i)
      rest->add(std::move(asked_[i]), std::move(to_[i]));
    asked_.resize(asked_.size() / 2);
    to_.resize(asked_.size());
    return rest;
  }

  void run(connection& on, milliseconds timeout) override {
    found_ = read(on, std::span<const Q>{asked_}, deadline_in(timeout));
    if (found_.size() != asked_.size())
      throw database_error(trouble::usage, {}, "a group of loads has another number of answers");
  }
  void answer() override {
    for (std::size_t i = 0; i < to_.size(); ++i)
      to_[i].deliver(std::move(found_[i]));
  }
  void fail(const caf::error& why) override {
    for (auto& each : to_)
      each.deliver(why);
  }

private:
  std::vector<Q> asked_;
  std::vector<promise> to_;
  std::vector<answer_type> found_;
};

/// What the pool does with any kind of questions that are read in groups.
class any_gathering {
public:
  virtual ~any_gathering() = default;
  virtual std::shared_ptr<reading> next() = 0;
  virtual bool is_under_way(const reading* which) const noexcept = 0;
  virtual bool split() = 0;
  virtual void fail(const caf::error& why) = 0;
};

/// The questions of one kind that are read in groups: while a statement of theirs is under way
/// the others gather, and become the next one.
template <class Q>
class gathering final : public any_gathering {
public:
  using group = group_reading<Q>;

  /// Takes a question in; returns the group to be read now, or null while one is under way.
  std::shared_ptr<reading> add(const manner& how, Q question, typename group::promise to) {
    if (waiting_.empty() || waiting_.back()->size() >= how.together)
      waiting_.push_back(std::make_shared<group>(how));
    waiting_.back()->add(std::move(question), std::move(to));
    return under_way_ ? nullptr : next();
  }
  /// The group under way has its answer, or its failure: the one to be read next, or null.
  std::shared_ptr<reading> next() override {
    under_way_ = waiting_.empty() ? nullptr : waiting_.front();
    if (under_way_)
      waiting_.pop_front();
    return under_way_;
  }
  bool is_under_way(const reading* which) const noexcept override { return under_way_.get() == which; }
  /// The database refused the group under way: it is read again in halves, until the question
  /// that cannot be read stands alone. False when it does already.
  bool split() override {
    if (under_way_->size() < 2)
      return false;
    waiting_.push_front(under_way_->split());
    waiting_.push_front(under_way_);
    return true;
  }
  /// Fails all that gather.
  void fail(const caf::error& why) override {
    for (const auto& each : std::exchange(waiting_, {}))
      each->fail(why);
  }

private:
  std::deque<std::shared_ptr<group>> waiting_;
  std::shared_ptr<group> under_way_;
};

} // namespace credence::persistence
