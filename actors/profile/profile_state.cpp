#include "actors/profile/profile_state.hpp"

#include <algorithm>
#include <iterator>

namespace credence::profile {

profile_state::profile_state(stored_profile stored)
  : live_(stored.exists && !stored.archived), as_of_(stored.as_of), votes_(std::move(stored.votes)) {}

void profile_state::learn(const own_vote& vote, global_seq as_of) {
  if (as_of <= as_of_)
    return;
  // Votes of other projects may arrive out of commit order, so the mark stays
  // where the load put it and a vote that is there already is left alone.
  const auto same = [&](const own_vote& have) { return have.project == vote.project && have.in == vote.in; };
  if (std::none_of(votes_.begin(), votes_.end(), same))
    votes_.push_back(vote);
}

outcome<balance_view> profile_state::balance(const get_balance& asked, const surroundings& around) const {
  const auto* period = around.periods.find(asked.in);
  if (!period)
    return refusal{refusal_code::period_not_found, "there is no such voting period"};
  if (asked.project && !around.project_known)
    return refusal{refusal_code::project_not_found,
                   "there is no project " + std::to_string(asked.project->value)};
  balance_view view;
  view.balance.reset_at = period->ends_at;
  for (const auto& vote : votes_) {
    if (vote.in != period->id)
      continue;
    ++(vote.side == sentiment::bullish ? view.balance.bullish_cast : view.balance.bearish_cast);
    if (asked.project == vote.project)
      view.vote = vote.side;
  }
  const bool open = live_ && period->id == around.periods.current().id;
  view.balance.can_vote = open
                          && (asked.project ? around.project_active && !view.vote
                                            : view.balance.bullish_cast + view.balance.bearish_cast
                                                < around.active_projects);
  return view;
}

std::vector<own_vote> profile_state::votes_in(period_id in) const {
  std::vector<own_vote> out;
  std::copy_if(votes_.begin(), votes_.end(), std::back_inserter(out),
               [&](const own_vote& vote) { return vote.in == in; });
  return out;
}

} // namespace credence::profile
