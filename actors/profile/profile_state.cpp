#include "actors/profile/profile_state.hpp"

#include <algorithm>

namespace credence::profile {

namespace {

using status = listing::project_index::status;

/// When nothing more can be cast in it: one may be closed before its planned end.
timestamp reset_of(const period::voting_period& which) { return which.closed_at.value_or(which.ends_at); }

vote_count count_of(const std::vector<own_vote>& votes) {
  vote_count out;
  for (const auto& vote : votes)
    ++(vote.side == sentiment::bullish ? out.bullish : out.bearish);
  return out;
}

} // namespace

std::vector<profile_state::kept_period>::iterator profile_state::find(period_id which) {
  return std::find_if(kept_.begin(), kept_.end(), [&](const kept_period& each) { return each.in == which; });
}

bool profile_state::knows(period_id in) const {
  return std::any_of(kept_.begin(), kept_.end(), [&](const kept_period& each) { return each.in == in; });
}

bool profile_state::begin(period_id in) {
  const bool later = newest_ && in > *newest_;
  if (later)
    newest_ = in;
  if (!later || !read_)
    return false;
  keep(in, {});
  return true;
}

void profile_state::take_in(period_id in, stored_profile stored) {
  live_ = stored.exists && !stored.archived;
  read_ = true;
  keep(in, std::move(stored.votes));
}

void profile_state::keep(period_id in, std::vector<own_vote> votes) {
  if (kept_.size() >= periods_max)
    kept_.erase(kept_.begin());
  kept_.push_back({in, std::move(votes)});
}

void profile_state::learn(const own_vote& vote) {
  const auto here = find(vote.in);
  if (here == kept_.end())
    return;
  auto& votes = here->votes;
  if (std::none_of(votes.begin(), votes.end(), [&](const own_vote& have) { return have.project == vote.project; }))
    votes.push_back(vote);
}

const std::vector<own_vote>& profile_state::use(period_id which) {
  const auto here = find(which);
  std::rotate(here, here + 1, kept_.end());
  return kept_.back().votes;
}

outcome<period_id> profile_state::period_of(const get_balance& query, const surroundings& around) {
  const auto* period = around.periods.find(query.in);
  if (!period)
    return refusal{refusal_code::period_not_found, period::no_such(query.in)};
  if (query.project && around.projects.status_of(*query.project) == status::unknown)
    return refusal{refusal_code::project_not_found, "there is no project " + std::to_string(query.project->value)};
  return period->id;
}

balance_view profile_state::balance(const get_balance& query, const surroundings& around) {
  const auto& period = *around.periods.find(query.in);
  const auto& cast = use(period.id);
  const auto counted = count_of(cast);
  balance_view view;
  view.balance.reset_at = reset_of(period);
  view.balance.bullish_cast = counted.bullish;
  view.balance.bearish_cast = counted.bearish;
  for (const auto& vote : cast)
    if (query.project == vote.project)
      view.vote = vote.side;
  const auto on_active = [&] { // projects may be archived after a vote on them
    return std::count_if(cast.begin(), cast.end(), [&](const own_vote& vote) {
      return around.projects.status_of(vote.project) == status::active;
    });
  };
  const bool open = live_ && !around.voter_archived && period.id == around.periods.current().id;
  view.balance.can_vote = open
                          && (query.project ? around.projects.status_of(*query.project) == status::active && !view.vote
                                            : on_active() < around.projects.active_count());
  return view;
}

std::vector<own_vote> profile_state::votes_in(period_id which) { return use(which); }
vote_count profile_state::count(period_id which) { return count_of(use(which)); }

std::optional<vote_count> profile_state::count_if_kept(period_id which) const {
  const auto found =
    std::find_if(kept_.begin(), kept_.end(), [which](const kept_period& each) { return each.in == which; });
  return found == kept_.end() ? std::nullopt : std::optional{count_of(found->votes)};
}

vote_balance balance_after_vote(const vote_count& cast, const period::voting_period& in) {
  return {cast.bullish, cast.bearish, reset_of(in), false};
}

} // namespace credence::profile
