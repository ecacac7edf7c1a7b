#pragma once

#include "actors/chain/apply.hpp"
#include "actors/chain/chain_reader_actor.hpp"
#include "actors/chain/chain_steps.hpp"
#include "actors/chain/follow_types.hpp"
#include "actors/chain/refold_types.hpp"
#include "actors/kernel/ask.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

/// What the follower remembers between steps.
namespace credence::chain {

/// What the follower has on its way to the store, if anything.
using follow_change = std::variant<std::monostate, chain_begun, blocks_applied, blocks_undone, blocks_tried,
                                   kinds_added, events_replayed, event_reprocessed>;

// -- what was told of -------------------------------------------------------------------------------

/// Profiles or projects that were changed by steps which a reorganisation can still take back: caches of them are
/// invalidated before anybody hears that the blocks are gone. It knows the steps of this process; of older ones the
/// feed of changes tells.
template <class Id>
class recently_touched {
public:
  /// A step up to `tip` is in, and nothing up to `finalized` will be taken back.
  void applied(block_number tip, block_number finalized, const std::set<Id>& which) {
    const auto final_up_to = std::max(finalized, tip > undo_blocks_max ? tip - undo_blocks_max : 0);
    steps_.erase(steps_.begin(), steps_.upper_bound(final_up_to));
    if (!which.empty() && tip > final_up_to)
      steps_[tip].insert(which.begin(), which.end());
  }
  /// Those of all steps behind that block; they are forgotten with it.
  std::set<Id> taken_back(block_number to) {
    std::set<Id> out;
    const auto first = steps_.upper_bound(to);
    for (auto each = first; each != steps_.end(); ++each)
      out.insert(each->second.begin(), each->second.end());
    steps_.erase(first, steps_.end());
    return out;
  }

private:
  std::map<block_number, std::set<Id>> steps_; // by their last block
};

/// The same of both.
class recently_touched_rows {
public:
  /// A change is stored. Returns the effects that caches are to be told of; `authority` is the last block on which
  /// rights rested before it.
  step_effects stored(const follow_change& change, step_effects effects, block_number authority) {
    if (const auto* applied = std::get_if<blocks_applied>(&change)) {
      effects.settled = applied->authority > authority ? applied->authority : 0;
      profiles_.applied(applied->tip.number, applied->finalized, effects.profiles);
      projects_.applied(applied->tip.number, applied->finalized, effects.projects);
    } else if (const auto* back = std::get_if<blocks_undone>(&change))
      return {profiles_.taken_back(back->tip.number), {}, projects_.taken_back(back->tip.number)};
    return effects;
  }

private:
  recently_touched<profile_id> profiles_;
  recently_touched<project_id> projects_;
};

// -- refused events ---------------------------------------------------------------------------------

/// What to do about a step that the database refuses: its events are tried, each by itself, until a trial finds none
/// that has to fail; then the step is written with those that were found as failed. Pure: told of what happens.
class refusal_search {
public:
  /// The database may refuse a step so often, although nothing in it is found to be wrong, before following stops.
  static constexpr int fruitless_max = 3;

  /// The step was refused. False: it is of no use to go on.
  bool refused() {
    stage_ = stage::trying;
    return ++fruitless_ < fruitless_max;
  }
  /// Steps take too long, also smaller ones: perhaps one event does so.
  void too_long() { stage_ = stage::trying; }
  /// The refused events of the next step, as stored. More than before: the step is tried again. None new after a trial:
  /// it is written.
  void found(std::vector<refused_event> all) {
    if (stage_ == stage::tried)
      stage_ = all.size() > known_.size() ? stage::trying : stage::clean;
    if (all.size() > known_.size())
      fruitless_ = 0;
    known_ = std::move(all);
  }
  void trial_ended() { stage_ = stage::tried; }
  /// The step is in.
  void over() { *this = {}; }

  /// The next write is a trial.
  bool trying() const noexcept { return stage_ == stage::trying; }
  const std::vector<refused_event>& known() const noexcept { return known_; }

  /// Keeps the step, as the node told it, for the next trial.
  void keep(const blocks_applied& step) { step_ = step; }
  /// It was not even tried: perhaps it is too large, and a smaller one is to be asked for.
  void let_go() { step_.reset(); }
  /// The step again, if it still follows that block.
  std::optional<blocks_applied> step_behind(const digest32& tip) const {
    return step_ && step_->before == tip ? step_ : std::nullopt;
  }

private:
  enum class stage : std::uint8_t { none, trying, tried, clean };
  stage stage_ = stage::none;
  int fruitless_ = 0;
  std::vector<refused_event> known_;
  std::optional<blocks_applied> step_;
};

// -- the next step ----------------------------------------------------------------------------------

/// Time for the next step.
struct step_due {};

/// The step that is fetched while the step before it is being stored; one at most. Sends and reads nothing itself.
class step_ahead {
public:
  /// The step behind that place is being fetched. Returns the number that `came` gets with it.
  std::uint64_t asked(const follow_position& after) {
    *this = step_ahead{number_ + 1, place_of(after)};
    return number_;
  }
  /// The step has come. Returns it if `wait_for` was called, else keeps it if it is still of use.
  std::optional<step_taken> came(std::uint64_t number, step_taken& found) {
    if (number != number_ || !under_way_)
      return std::nullopt;
    under_way_ = false;
    if (std::exchange(wanted_, false))
      return std::move(found);
    found_ = std::move(found);
    return std::nullopt;
  }
  /// The step behind that place, where it is here.
  std::optional<step_taken> take(const follow_position& at) {
    return after_ == place_of(at) ? std::exchange(found_, std::nullopt) : std::nullopt;
  }
  /// Whether the step behind that place is being fetched; if so, `came` returns it.
  bool wait_for(const follow_position& at) { return wanted_ = under_way_ && after_ == place_of(at); }
  /// Forgets the step that is fetched or kept.
  void drop() { *this = step_ahead{number_, place{}, false}; }

  step_ahead() = default;

private:
  using place = std::pair<digest32, std::int64_t>; // the tip and the last event
  static place place_of(const follow_position& at) { return {at.tip.hash, at.last_event}; }
  step_ahead(std::uint64_t number, const place& after, bool under_way = true)
    : number_(number), after_(after), under_way_(under_way) {}

  std::uint64_t number_ = 0;
  place after_{};
  bool under_way_ = false;
  bool wanted_ = false;
  std::optional<step_taken> found_;
};

// -- questions that wait ----------------------------------------------------------------------------

/// A question has waited for its block as long as it may.
struct timeout_over {
  std::uint64_t question = 0;
};

/// Questions that wait until a block is stored, or until there is one. Bounded by the gate in front.
class block_waiters {
public:
  std::size_t count() const noexcept { return waiting_.size(); }
  /// Its number. `found` is the answer when its timeout is over; its receipt names the block, where there is one.
  std::uint64_t add(const ask<find_transaction>& question, transaction_found found) {
    waiting_.push_back({++last_, question, std::move(found)});
    return last_;
  }
  /// The time of this question is up: answers it, if it still waits. One whose own deadline is later is removed and
  /// returned, to be looked up again.
  std::optional<ask<find_transaction>> timeout_over(std::uint64_t number, steady_time now) {
    const auto found =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const waiter& each) { return each.number == number; });
    if (found == waiting_.end())
      return std::nullopt;
    auto over = std::move(*found);
    waiting_.erase(found);
    if (over.question->until && now < *over.question->until)
      return std::move(over.question);
    over.question.answer(std::move(over.found));
    return std::nullopt;
  }
  /// Those without a block, and those whose blocks are no later than the tip; they wait no longer.
  std::vector<ask<find_transaction>> take_up_to(block_number tip) {
    std::vector<ask<find_transaction>> out;
    for (auto at = waiting_.begin(); at != waiting_.end();)
      if (!at->found.receipt || at->found.receipt->block <= tip) {
        out.push_back(at->question);
        at = waiting_.erase(at);
      } else
        ++at;
    return out;
  }

private:
  struct waiter {
    std::uint64_t number = 0;
    ask<find_transaction> question;
    transaction_found found;
  };
  std::list<waiter> waiting_;
  std::uint64_t last_ = 0;
};

} // namespace credence::chain
