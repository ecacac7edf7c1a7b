#pragma once

#include "ops/metrics.hpp"
#include "persistence/readers/reader.hpp"

#include <caf/exit_reason.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace credence::persistence {

/// The connections of one lane, and what waits for them.
class lane_queue {
public:
  struct bounds {
    std::size_t waiting;        // questions; one past it is refused at once
    milliseconds patience;      // one that has waited longer fails
    milliseconds patience_many; // the same where there is much to read
  };

  void start(bounds how, std::vector<reader_entity> readers, ops::gauge* waits) {
    how_ = how;
    waits_ = waits;
    readers_ = std::move(readers);
    under_way_.resize(readers_.size());
    for (std::size_t i = 0; i < readers_.size(); ++i)
      idle_.push_back(i);
  }

  /// Questions that have no answer yet.
  bool full() const noexcept { return inside_ >= how_.waiting; }
  void enter() noexcept {
    ++inside_;
    waits_->add(1);
  }
  void leave(std::size_t count) noexcept {
    inside_ -= count;
    waits_->add(-static_cast<std::int64_t>(count));
  }

  void push(std::shared_ptr<reading> reading) { waiting_[static_cast<std::size_t>(reading->how().costs)].push_back(std::move(reading)); }

  void done(std::size_t reader) {
    idle_.push_back(reader);
    under_way_[reader] = nullptr;
  }

  /// Another reader takes the place of one that has died; what that one was reading, or null.
  std::shared_ptr<reading> replace(std::size_t reader, reader_entity fresh) {
    readers_[reader] = std::move(fresh);
    auto lost = std::exchange(under_way_[reader], nullptr);
    if (lost)
      idle_.push_back(reader);
    return lost;
  }

  /// The next one to be read by an idle reader, or null. One with much to read never takes the
  /// last, so that a short one need not wait for it to end. Of those that cost most there is one at a time,
  /// and more of them where they leave one connection for what is short and one for what has much to read.
  std::shared_ptr<reading> next() {
    for (std::size_t costs = 0; costs < waiting_.size(); ++costs) {
      auto& from = waiting_[costs];
      if (from.empty() || idle_.size() <= std::min<std::size_t>({costs, 1, readers_.size() - 1}))
        continue;
      if (const auto most = from.front()->how().costs; most == cost::most && under_way(most) && idle_.size() <= left_to_others)
        continue;
      auto out = std::move(from.front());
      from.pop_front();
      return out;
    }
    return nullptr;
  }
  bool under_way(cost which) const {
    return std::any_of(under_way_.begin(), under_way_.end(), [which](const auto& each) { return each && each->how().costs == which; });
  }
  /// One that has waited too long, or null: also of those that others go before for as long as they keep coming.
  std::shared_ptr<reading> next_late() {
    for (auto& from : waiting_)
      if (!from.empty() && too_late(*from.front())) {
        auto out = std::move(from.front());
        from.pop_front();
        return out;
      }
    return nullptr;
  }

  template <class Self>
  void hand_out(Self* self, std::shared_ptr<reading> reading) {
    const auto reader = idle_.back();
    idle_.pop_back();
    under_way_[reader] = reading;
    self->send(readers_[reader], read_this{std::move(reading)});
  }

  template <class Self>
  void end(Self* self) {
    const auto gone = caf::make_error(caf::sec::runtime_error);
    for (auto& queue : waiting_)
      for (const auto& each : std::exchange(queue, {}))
        each->fail(gone);
    for (const auto& each : std::exchange(under_way_, {}))
      if (each)
        each->fail(gone);
    for (const auto& each : std::exchange(readers_, {}))
      self->send_exit(each, caf::exit_reason::user_shutdown);
  }

private:
  bool too_late(const reading& reading) const {
    return steady_clock::now() - reading.asked_at > (reading.how().costs == cost::few ? how_.patience : how_.patience_many);
  }

  static constexpr std::size_t left_to_others = 2;
  bounds how_{};
  ops::gauge* waits_ = nullptr;
  std::vector<reader_entity> readers_;
  std::vector<std::size_t> idle_;
  std::array<std::deque<std::shared_ptr<reading>>, costs_known> waiting_; // by cost
  std::vector<std::shared_ptr<reading>> under_way_;                       // by reader; null while it is idle
  std::size_t inside_ = 0;
};

} // namespace credence::persistence
