#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/funds/funds_types.hpp"
#include "actors/kernel/figure.hpp"

#include <algorithm>
#include <vector>

namespace credence::funds {

/// The money of one profile. What is set aside for somebody else's decision, or on its way
/// out, counts as gone at once; what is on its way in counts when it is committed. So the
/// balance can never be overdrawn, here or in the database. Outcomes carry a global number;
/// what the stored balance already holds (it is not newer than `as_of`) is not counted again.
class account {
public:
  explicit account(const stored_funds& stored) : balance_(stored.balance), as_of_(stored.as_of) {}

  /// What is committed.
  const wei& balance() const noexcept { return balance_; }
  /// What may still be spent.
  wei available() const { return balance_ > aside_ ? balance_ - aside_ : wei{0}; }

  /// What is here, for operators.
  std::vector<figure> in_memory() const {
    return {{"balance", decimal(balance_)},
            {"available", decimal(available())},
            {"setAside", decimal(aside_)},
            {"asOf", as_of_}};
  }

  /// Refuses to take out more than there is.
  outcome<funds_moved> decide(const move_funds& command, timestamp now) const {
    if (command.way == flow::withdrawal && command.amount > available())
      return refusal{refusal_code::insufficient_funds, "the withdrawal takes " + decimal(command.amount) + " wei, and "
                                                         + decimal(available()) + " wei are available"};
    return funds_moved{command.profile, command.way, command.amount, command.reference, now, balance_};
  }

  void set_aside(const wei& amount) { aside_ += amount; }
  void put_back(const wei& amount) { aside_ -= std::min(amount, aside_); }

  /// Counts a committed change; false when it cannot be, so that memory is wrong.
  bool came(const wei& amount, global_seq as_of) {
    if (as_of > as_of_)
      balance_ += amount;
    return true;
  }
  bool left(const wei& amount, global_seq as_of) {
    if (as_of <= as_of_)
      return true;
    if (amount > balance_)
      return false;
    balance_ -= amount;
    return true;
  }

private:
  wei balance_;
  global_seq as_of_; // of the stored balance that this one began with
  wei aside_ = 0;
};

} // namespace credence::funds
