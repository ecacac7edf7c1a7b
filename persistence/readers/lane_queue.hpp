#pragma once

#include "actors/kernel/turns.hpp"
#include "ops/metrics.hpp"
#include "persistence/readers/reader.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace credence::persistence {

/// The connections of one lane, and what waits for them.
///
/// Each asker has a bounded number of places, and askers are served by rank and in turn (`turns`). Short and long reads
/// are shared separately, as they have connections of their own. Anonymous askers together have at most half of the
/// lane's places.
class lane_queue {
public:
  struct bounds {
    std::size_t waiting;       // questions; one past it is refused at once
    std::size_t waiting_each;  // of one asker; the service itself has all
    milliseconds timeout;      // one that has waited longer fails
    milliseconds timeout_many; // the same where there is much to read
  };

  void start(bounds how, std::vector<reader_entity> readers, ops::gauge* waits) {
    how_ = how;
    waits_ = waits;
    readers_ = std::move(readers);
    under_way_.resize(readers_.size());
    for (std::size_t i = 0; i < readers_.size(); ++i)
      idle_.push_back(i);
  }

  /// Counts a question that has no answer yet, or says why it may not wait.
  std::optional<failure> enter(const asker& whose) {
    const bool anonymous = whose.rank == asker_rank::anonymous;
    if (whose.rank != asker_rank::service) {
      auto& own = inside_of_[whose];
      if (own >= how_.waiting_each)
        return failure::too_many;
      if (inside_ >= how_.waiting || (anonymous && anonymous_inside_ >= how_.waiting / 2)) {
        if (own == 0)
          inside_of_.erase(whose);
        return failure::overloaded;
      }
      ++own;
    } else if (inside_ >= how_.waiting) {
      return failure::overloaded;
    }
    ++inside_;
    anonymous_inside_ += anonymous;
    waits_->add(1);
    return std::nullopt;
  }
  /// So many questions of somebody have their answer.
  void leave(const asker& whose, std::size_t count) noexcept {
    inside_ -= count;
    if (whose.rank == asker_rank::anonymous)
      anonymous_inside_ -= count;
    waits_->add(-static_cast<std::int64_t>(count));
    if (const auto own = inside_of_.find(whose); own != inside_of_.end() && (own->second -= count) == 0)
      inside_of_.erase(own);
  }

  void push(std::shared_ptr<reading> fresh) {
    auto& by_age = waiting_[place_of(*fresh)];
    by_age.push_back(std::move(fresh));
    const auto& what = *by_age.back();
    turns_.push(what.whose(), std::prev(by_age.end()), place_of(what));
  }

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

  /// The next one to be read by an idle reader, or null: short ones and those with much to read in turn. The latter
  /// never have all connections, so that a short one need not wait for them to end. Those that cost most come after all
  /// others; there is one of them at a time, and more where they leave one connection for what is short and one for
  /// what has much to read.
  std::shared_ptr<reading> next() {
    if (idle_.empty())
      return nullptr;
    const auto long_ones = under_way(weight::many) + under_way(weight::most);
    const auto long_ones_most = std::max<std::size_t>(readers_.size() - 1, 1);
    const bool may_be_long = long_ones < long_ones_most;
    for (const auto which :
         short_is_next_ ? std::array{weight::few, weight::many} : std::array{weight::many, weight::few})
      if (which == weight::few || may_be_long)
        if (auto found = take(which)) {
          short_is_next_ = which != weight::few;
          return found;
        }
    const bool may_be_last = idle_.size() > std::min<std::size_t>(1, readers_.size() - 1);
    return may_be_long && may_be_last && (under_way(weight::most) == 0 || idle_.size() > left_to_others)
             ? take(weight::most)
             : nullptr;
  }
  std::size_t under_way(weight which) const {
    return static_cast<std::size_t>(std::count_if(
      under_way_.begin(), under_way_.end(), [which](const auto& each) { return each && each->how().weighs == which; }));
  }
  /// One that has waited too long, or null: also of those that others go before for as long as they keep coming.
  std::shared_ptr<reading> next_late() {
    for (auto& from : waiting_)
      if (!from.empty() && too_late(*from.front())) {
        const auto late = from.begin();
        turns_.remove((*late)->whose(), late, place_of(**late));
        return taken(late);
      }
    return nullptr;
  }

  void hand_out(std::shared_ptr<reading> reading) {
    const auto reader = idle_.back();
    idle_.pop_back();
    under_way_[reader] = reading;
    send(readers_[reader], read_this{std::move(reading)});
  }

  void end() {
    const auto gone = failure::unavailable;
    turns_.clear();
    for (auto& queue : waiting_)
      for (const auto& each : std::exchange(queue, {}))
        each->fail(gone);
    for (const auto& each : std::exchange(under_way_, {}))
      if (each)
        each->fail(gone);
    for (const auto& each : std::exchange(readers_, {}))
      tell_to_end(each);
  }

private:
  using all_waiting = std::list<std::shared_ptr<reading>>;

  static std::size_t place_of(const reading& what) { return static_cast<std::size_t>(what.how().weighs); }
  /// The next one of that cost, or null.
  std::shared_ptr<reading> take(weight which) {
    const auto weight = static_cast<std::size_t>(which);
    return turns_.empty(weight) ? nullptr : taken(turns_.take(weight));
  }
  std::shared_ptr<reading> taken(all_waiting::iterator which) {
    auto out = std::move(*which);
    waiting_[place_of(*out)].erase(which);
    return out;
  }
  bool too_late(const reading& reading) const {
    return steady_clock::now() - reading.asked_at
           > (reading.how().weighs == weight::few ? how_.timeout : how_.timeout_many);
  }

  static constexpr std::size_t left_to_others = 2;
  bounds how_{};
  ops::gauge* waits_ = nullptr;
  std::vector<reader_entity> readers_;
  std::vector<std::size_t> idle_;
  std::array<all_waiting, weights_known> waiting_;    // by cost, whoever asked: the oldest first
  turns<all_waiting::iterator, weights_known> turns_; // the same by cost: whose turn is next
  bool short_is_next_ = true;
  std::vector<std::shared_ptr<reading>> under_way_; // by reader; null while it is idle
  std::size_t inside_ = 0;
  std::size_t anonymous_inside_ = 0;
  std::map<asker, std::size_t> inside_of_; // but for the service
};

} // namespace credence::persistence
