#include "actors/profile/profile_state.hpp"

#include <algorithm>

namespace credence::profile {

namespace {

bool earlier(const own_vote& a, const own_vote& b) { return a.in.value < b.in.value; }

} // namespace

profile_state::profile_state(stored_profile stored)
  : live_(stored.exists && !stored.archived), as_of_(stored.as_of), votes_(std::move(stored.votes)) {
  std::stable_sort(votes_.begin(), votes_.end(), earlier);
}

std::pair<profile_state::votes::const_iterator, profile_state::votes::const_iterator>
profile_state::in(period_id which) const {
  return std::equal_range(votes_.begin(), votes_.end(), own_vote{{}, which, {}}, earlier);
}

void profile_state::learn(const own_vote& vote, global_seq as_of) {
  if (as_of <= as_of_)
    return;
  // Votes of other projects may arrive out of commit order, so the mark stays
  // where the load put it and a vote that is there already is left alone.
  const auto [first, last] = in(vote.in);
  if (std::none_of(first, last, [&](const own_vote& have) { return have.project == vote.project; }))
    votes_.insert(last, vote);
}

outcome<balance_view> profile_state::balance(const get_balance& asked, const surroundings& around) const {
  using standing = listing::project_index::standing;
  const auto* period = around.periods.find(asked.in);
  if (!period)
    return refusal{refusal_code::period_not_found, period::no_such(asked.in)};
  const auto project = asked.project ? around.projects.standing_of(*asked.project) : standing::active;
  if (project == standing::unknown)
    return refusal{refusal_code::project_not_found,
                   "there is no project " + std::to_string(asked.project->value)};
  balance_view view;
  view.balance.reset_at = period->closed_at.value_or(period->ends_at);
  const auto cast = in(period->id);
  for (auto vote = cast.first; vote != cast.second; ++vote) {
    ++(vote->side == sentiment::bullish ? view.balance.bullish_cast : view.balance.bearish_cast);
    if (asked.project == vote->project)
      view.vote = vote->side;
  }
  const auto on_active = [&] { // projects may be archived after a vote on them
    return std::count_if(cast.first, cast.second, [&](const own_vote& vote) {
      return around.projects.standing_of(vote.project) == standing::active;
    });
  };
  const bool open = live_ && period->id == around.periods.current().id;
  view.balance.can_vote = open
                          && (asked.project ? project == standing::active && !view.vote
                                            : on_active() < around.projects.active_count());
  return view;
}

std::vector<own_vote> profile_state::votes_in(period_id which) const {
  const auto [first, last] = in(which);
  return {first, last};
}

} // namespace credence::profile
