#pragma once

#include "actors/chain/chain_reader_actor.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace credence::chain {

/// Time for the next step; of an older turn it means nothing.
struct step_due {};

/// The step that is looked for while the one before it is stored: one at most. Pure: told of what happens.
class step_ahead {
public:
  /// The step behind that place is asked for; its number, with which it comes.
  std::uint64_t asked(const follow_position& after) {
    *this = step_ahead{number_ + 1, place_of(after)};
    return number_;
  }
  /// It is here. Returned if somebody waits for it, kept if it is of use, else forgotten.
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
  /// Whether the step behind that place is on its way; then it is returned when it comes.
  bool wait_for(const follow_position& at) { return wanted_ = under_way_ && after_ == place_of(at); }
  /// What was asked for is of no use any more.
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

} // namespace credence::chain
