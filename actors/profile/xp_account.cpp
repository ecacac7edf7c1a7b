#include "actors/profile/xp_account.hpp"

namespace credence::profile {

outcome<xp_tipped> xp_account::decide(const send_tip& asked, timestamp now) const {
  if (asked.amount <= 0)
    return refusal{refusal_code::invalid_amount, "amount must be a positive integer, not " + std::to_string(asked.amount)};
  if (asked.sender == asked.receiver)
    return refusal{refusal_code::cannot_tip_self, "profile " + std::to_string(asked.sender.value) + " cannot tip itself; name another receiver"};
  if (asked.amount > available())
    return refusal{refusal_code::insufficient_xp,
                   "the balance is " + std::to_string(available()) + " XP, which is less than the " + std::to_string(asked.amount) + " to be tipped"};
  return xp_tipped{asked.sender, asked.receiver, asked.amount, asked.message, asked.source, now};
}

} // namespace credence::profile
