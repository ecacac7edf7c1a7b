#include "actors/profile/xp_account.hpp"

#include "config/limits.hpp"

namespace credence::profile {

outcome<xp_tipped> xp_account::decide(const send_tip& command, people::people_index::status receiver,
                                      timestamp now) const {
  if (command.amount <= 0)
    return refusal{refusal_code::invalid_amount,
                   "amount must be a positive integer, not " + std::to_string(command.amount)};
  if (receiver == people::people_index::status::archived)
    return refusal{refusal_code::receiver_not_found, "the profile of the receiver is archived"};
  if (command.sender == command.receiver)
    return refusal{refusal_code::cannot_tip_self,
                   "profile " + std::to_string(command.sender.value) + " cannot tip itself; name another receiver"};
  if (command.amount > available())
    return refusal{refusal_code::insufficient_xp, "the balance is " + std::to_string(available())
                                                    + " XP, which is less than the " + std::to_string(command.amount)
                                                    + " to be tipped"};
  return xp_tipped{command.sender, command.receiver, command.amount, command.message, command.source, now};
}

outcome<xp_granted> xp_account::decide(const grant_xp& command, timestamp now) const {
  if (command.amount < 1 || command.amount > limits::xp_grant_max)
    return refusal{refusal_code::invalid_amount, "amount must be from 1 to " + std::to_string(limits::xp_grant_max)
                                                   + " XP, not " + std::to_string(command.amount)};
  return xp_granted{command.profile, command.amount, now, command.reason, available() + arriving_};
}

} // namespace credence::profile
