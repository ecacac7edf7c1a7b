#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/people/people_index.hpp"
#include "actors/profile/xp_types.hpp"

#include <algorithm>

namespace credence::profile {

/// The points of one profile. What is on its way out counts as gone at once, what is on
/// its way in counts when it is committed: so the balance can never be overdrawn, here
/// or in the database. Outcomes carry a global number; what a stored balance already
/// holds (it is not newer than `as_of`) is not counted again.
class xp_account {
public:
  explicit xp_account(const stored_xp& stored)
    : balance_(stored.balance), as_of_(stored.as_of), newest_(stored.as_of) {}

  /// What may still be spent.
  std::int64_t available() const noexcept { return balance_ - leaving_; }
  /// What is committed.
  std::int64_t balance() const noexcept { return balance_; }

  /// Refuses a tip to oneself, to an archived profile, or of more than there is; then `leave` it.
  outcome<xp_tipped> decide(const send_tip& command, people::people_index::status receiver, timestamp now) const;
  /// Refuses an amount out of bounds; then let it `arrive`. What was there before counts all that is under way.
  outcome<xp_granted> decide(const grant_xp& command, timestamp now) const;
  void leave(std::int64_t amount) noexcept { leaving_ += amount; }

  void left(std::int64_t amount, global_seq as_of) noexcept {
    leaving_ -= amount;
    count(-amount, as_of);
  }
  void came(std::int64_t amount, global_seq as_of) noexcept { count(amount, as_of); }
  /// A grant is under way; it has `arrived` once it is committed.
  void arrive(std::int64_t amount) noexcept { arriving_ += amount; }
  void arrived(std::int64_t amount, global_seq as_of) noexcept {
    arriving_ -= amount;
    came(amount, as_of);
  }
  /// The changes under way were not stored: no amount has left or arrived.
  void take_back() noexcept { leaving_ = arriving_ = 0; }
  /// Takes over a balance that was read again, unless a newer one is known. While an amount is leaving, a lower balance
  /// is ignored: it may lack that amount already, which would be taken off twice.
  void refresh(const stored_xp& stored) noexcept {
    if (stored.as_of < newest_ || (leaving_ > 0 && stored.balance < balance_))
      return;
    balance_ = stored.balance;
    as_of_ = newest_ = stored.as_of;
  }

private:
  void count(std::int64_t points, global_seq as_of) noexcept {
    if (as_of <= as_of_)
      return;
    balance_ += points;
    newest_ = std::max(newest_, as_of);
  }

  std::int64_t balance_;
  global_seq as_of_;          // of the stored balance that this one began with
  global_seq newest_;         // of what has been counted
  std::int64_t leaving_ = 0;  // of changes without an outcome
  std::int64_t arriving_ = 0; // of grants without an outcome
};

} // namespace credence::profile
