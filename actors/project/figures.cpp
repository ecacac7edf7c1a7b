#include "actors/project/figures.hpp"

#include "actors/project/project_state.hpp"

#include <utility>

namespace credence::project {

namespace {

using namespace std::chrono_literals;

/// Nobody has asked for a page in this time: votes go on without the work.
constexpr auto unread_most = 1s;

} // namespace

void figure_publisher::publish(period_id in, project_summary votes, timestamp made) {
  read_at_ = steady_clock::now();
  put(in, std::move(votes), made);
}

void figure_publisher::renew(const project_state& rules, timestamp now) {
  if (!mine_)
    return;
  const auto moment = steady_clock::now();
  if (mine_->were_read.load(std::memory_order_relaxed))
    read_at_ = moment;
  const bool unread = moment - read_at_ > unread_most;
  auto votes = unread || !mine_->younger_than(figures::shown_for, now)
                 ? std::nullopt
                 : rules.summary_at_once(mine_->in, page_voters, now);
  if (!votes)
    return withdraw();
  put(mine_->in, *std::move(votes), mine_->made);
}

void figure_publisher::put(period_id in, project_summary votes, timestamp made) {
  if (!into_)
    return;
  auto fresh = std::make_shared<figures>();
  fresh->in = in;
  fresh->made = made;
  fresh->votes = std::move(votes);
  mine_ = std::move(fresh);
  into_->write(id_.value, mine_);
}

void figure_publisher::close() {
  withdraw();
  into_ = nullptr;
}

void figure_publisher::withdraw() {
  if (mine_)
    into_->replace(id_.value, std::exchange(mine_, nullptr), nullptr);
}

} // namespace credence::project
