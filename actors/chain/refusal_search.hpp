#pragma once

#include "actors/chain/follow_types.hpp"

#include <optional>
#include <vector>

namespace credence::chain {

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
  /// What is known to be refused of the next step, as it is stored.
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

} // namespace credence::chain
