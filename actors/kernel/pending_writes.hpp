#pragma once

#include "actors/kernel/ask.hpp"
#include "actors/kernel/recent_changes.hpp"
#include "actors/kernel/writes.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace credence {

/// The changes of one entity on their way to the store, oldest first, and what is to be
/// done when each is in or is not. A plain object in an actor's state.
class pending_writes {
public:
  struct step {
    /// It is committed.
    std::function<void(const write_outcome&)> stored;
    /// It is not, and never will be.
    std::function<void(failure)> lost;
    /// It is not, as a change before it was refused: asks the question again. Where this is empty, `lost` is called.
    std::function<void()> again = {};
  };

  /// What an outcome means for the entity.
  enum class verdict : std::uint8_t {
    goes_on,
    taken_back, // every change under way is gone: the rules drop what was pending
    refused,    // the oldest was, the others were not written: memory may be wrong, stop and be loaded afresh
  };

  /// Why nothing can be written right now, if so.
  static std::optional<failure> closed(const store_status& of, std::int64_t queue_max) {
    if (!of.writable.load(std::memory_order_relaxed))
      return failure::unavailable;
    if (of.queued.load(std::memory_order_relaxed) >= queue_max)
      return failure::overloaded;
    return std::nullopt;
  }

  template <class Port, class Change>
  void send(const Port& to, actor& from, Change change, steady_time deadline,
            std::shared_ptr<const write_context> context, step then) {
    steps_.push_back({});
    steps_.back().push_back(std::move(then));
    changes_.sent(kind_name(change), system_now());
    to.write(stream_, std::move(change), from, deadline, std::move(context));
  }

  /// Something that rests on the changes under way, and is done when they are in; there are some.
  void after(step then) { steps_.back().push_back(std::move(then)); }

  verdict on_outcome(const write_outcome& outcome) {
    if (!(outcome.stream == stream_))
      return verdict::goes_on; // of an attempt given up
    switch (outcome.result) {
      case write_result::in_doubt: return verdict::goes_on;
      case write_result::stored:
        changes_.settled(outcome.count, change_fate::committed);
        for (auto i = outcome.count; i > 0 && outcome.stream == stream_; --i) { // until a step loses all that follow
          const auto done = std::move(steps_.front());
          steps_.pop_front();
          for (const auto& each : done)
            each.stored(outcome);
        }
        return verdict::goes_on;
      case write_result::stale:
      case write_result::not_written:
      case write_result::too_long: return verdict::taken_back;
      case write_result::failed: return verdict::refused;
    }
    return verdict::refused;
  }

  /// Fails all steps. Outcomes of these changes that are still to come are ignored.
  void lose_all(failure why) {
    give_up();
    for (const auto& resting : std::exchange(steps_, {}))
      for (const auto& each : resting)
        each.lost(why);
  }

  /// The database refused the oldest change: its step is told so, and those that rest on it are lost. Later steps with
  /// `again` are asked again.
  void lose_oldest() {
    changes_.settled(1, change_fate::refused);
    give_up();
    bool oldest = true;
    for (const auto& resting : std::exchange(steps_, {}))
      for (const auto& each : resting) {
        if (std::exchange(oldest, false))
          each.lost(failure::refused);
        else
          each.again ? each.again() : each.lost(failure::unavailable);
      }
  }

  /// Nothing was written and no change was refused: every step with `again` is asked again, the others are lost.
  void ask_all_again(failure why) {
    give_up();
    for (const auto& resting : std::exchange(steps_, {}))
      for (const auto& each : resting)
        each.again ? each.again() : each.lost(why);
  }

  bool empty() const noexcept { return steps_.empty(); }
  std::size_t size() const noexcept { return steps_.size(); }
  /// The last ones, with what has become of them.
  const recent_changes& lately() const noexcept { return changes_; }

private:
  /// What is under way is of an attempt given up from here on.
  void give_up() noexcept {
    ++stream_.attempt;
    changes_.settled_all(change_fate::given_up);
  }

  write_stream stream_{next_incarnation(), 0};
  std::deque<std::vector<step>> steps_; // of each change, and of what rests on it
  recent_changes changes_;
};

} // namespace credence
