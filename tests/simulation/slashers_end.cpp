// What holds when all is over: what clients were told is compared with what is stored.
#include "actors/slash/slash_actor.hpp"
#include "config/limits.hpp"
#include "tests/simulation/slashers.hpp"

#include <algorithm>
#include <array>

namespace credence::test {

using namespace std::chrono_literals;
using slash::vote_side;

namespace {

std::string named(slash_id which) { return "slash " + std::to_string(which.value); }

vote_side other(vote_side than) { return than == vote_side::slash ? vote_side::defend : vote_side::slash; }

} // namespace

slashers::told slashers::vote_now(slash_id which, profile_id who, vote_side side) {
  vote(which, who, side);
  await_answers();
  return voters_[{which, who}].votes.back().outcome;
}

void slashers::converge() {
  for (int round = 0; round < 20; ++round) {
    bool open = false;
    for (auto& [key, of] : voters_)
      if (!of.votes.empty() && of.votes.back().outcome == told::unknown
          && !world_.database().now().archived.contains(key.second)) {
        open = true;
        vote(key.first, key.second, of.votes.back().question.side);
      }
    if (!open || world_.violated())
      return;
    world_.pass_time(200ms);
  }
  world_.violation("unknown votes on slashes do not converge");
}

void slashers::compare_openings() {
  for (const auto& each : openings_) {
    const auto times = times_stored(each);
    if (times > 1 || (each.outcome == told::yes && times != 1) || (each.outcome == told::no && times != 0))
      world_.violation(each.question.comment + " is stored " + std::to_string(times)
                       + " times, which is not what was told");
  }
}

/// The votes that are stored are those of which nothing else was told, in order, each once.
void slashers::compare_votes(const whose& key, const voter& of) {
  const auto* on = find(key.first);
  if (!on)
    return;
  auto next = of.votes.begin();
  for (const auto& each : on->votes) {
    if (each.voter != key.second)
      continue;
    next = std::find_if(next, of.votes.end(),
                        [&](const auto& vote) { return vote.outcome != told::no && vote.question.side == each.side; });
    if (next == of.votes.end())
      return world_.violation("vote " + std::to_string(each.number) + " on " + named(key.first)
                              + " is stored, and nobody cast it or was told so");
    ++next;
  }
}

void slashers::compare_sums() {
  for (const auto& [id, on] : stored()) {
    slash::weights sums;
    std::map<profile_id, slash::ballot> last;
    for (const auto& vote : on.votes) {
      auto& ballot = last[vote.voter];
      ballot = {vote.voter, vote.side, vote.weight, ballot.votes + 1};
      if (!voters_.contains({id, vote.voter}))
        world_.violation("profile " + std::to_string(vote.voter.value) + " never voted on " + named(id));
    }
    for (const auto& [who, ballot] : last) {
      (ballot.side == vote_side::slash ? sums.slash : sums.defend) += ballot.weight;
      const auto there = on.ballots.find(who);
      if (there == on.ballots.end() || there->second.side != ballot.side || there->second.weight != ballot.weight
          || there->second.votes != ballot.votes)
        world_.violation("the ballot of profile " + std::to_string(who.value) + " on " + named(id)
                         + " is not its last vote");
    }
    if (last.size() != on.ballots.size() || sums.slash != on.tally.slash || sums.defend != on.tally.defend)
      world_.violation("the ballots on " + named(id) + " weigh " + std::to_string(sums.slash) + " to "
                       + std::to_string(sums.defend) + ", and its tally says " + std::to_string(on.tally.slash) + " to "
                       + std::to_string(on.tally.defend));
    judge_closed(named(id), id);
  }
}

/// Everything is shown as it is stored, and nothing is open after its end.
void slashers::compare_slashes() {
  auto& op = begin("all slashes");
  op.judge = [this, &op](envelope_base& answered) {
    op.outcome = told::yes;
    const auto* page = answer_in<slash::find_slashes>(answered);
    if (!page || page->total != static_cast<std::int64_t>(stored().size()) || page->values.size() != stored().size())
      return world_.violation(op.text + " are not shown");
    for (const auto& each : page->values) {
      judge_shown(named(each.id), each, find(each.id)->record.closed.has_value());
      if (!each.closed && each.ends_at() + 2s < world_.database().clock())
        world_.violation(named(each.id) + " is over and not closed");
    }
  };
  put(&directory::slashes, slash::find_slashes{{}, {}, {}, {1000, 0}}, op);
  await_answers();
}

void slashers::compare_roles() {
  for (const auto& [id, each] : stored()) {
    slash::get_roles question{id, {}, {}};
    for (int i = 1; i <= world::profiles; ++i)
      question.profiles.push_back(profile_id{i});
    auto& op = begin("roles in " + named(id));
    op.judge = [this, &op, id = id](envelope_base& answered) {
      op.outcome = told::yes;
      const auto* roles = answer_in<slash::get_roles>(answered);
      const auto& on = *find(id);
      if (!roles)
        return world_.violation(op.text + " are not told");
      std::size_t voters = 0;
      for (const auto& [who, role] : *roles) {
        if (role == slash::role::slasher || role == slash::role::defender)
          continue;
        ++voters;
        const auto ballot = on.ballots.find(who);
        const bool right = ballot != on.ballots.end()
                           && role
                                == (!on.record.closed                         ? slash::role::voter
                                    : ballot->second.side == vote_side::slash ? slash::role::voted_slash
                                                                              : slash::role::voted_defend);
        if (!right)
          world_.violation(op.text + " are not those of its ballots");
      }
      if (voters != on.ballots.size())
        world_.violation(op.text + " leave somebody out");
    };
    put(&directory::slashes, std::move(question), op);
  }
  await_answers();
}

/// What the service knows of ballots is what is stored: who repeats a vote is told that it stands.
void slashers::vote_again() {
  std::vector<std::pair<whose, slash::ballot>> open;
  for (const auto& [id, each] : stored())
    if (!each.record.closed)
      for (const auto& [who, ballot] : each.ballots)
        if (world_.people_known().status_of(who) == people::people_index::status::live
            && people::vote_weight_of(world_.people_known().score_of(who)) == ballot.weight)
          open.push_back({{id, who}, ballot});
  for (const auto& [key, ballot] : open) {
    const auto before = find(key.first)->votes.size();
    const bool good = vote_now(key.first, key.second, ballot.side) == told::yes;
    if (!find(key.first)->record.closed && (!good || find(key.first)->votes.size() != before))
      world_.violation("profile " + std::to_string(key.second.value) + " repeated its vote on " + named(key.first)
                       + ", which was not known");
  }
}

/// A voter may change its vote until as many are stored as may be, and not once more.
void slashers::vote_too_often(slash_id which) {
  const auto record = find(which)->record;
  profile_id who{1};
  while (who.value <= world::profiles
         && (who == record.author || who == record.subject.profile
             || world_.people_known().status_of(who) != people::people_index::status::live))
    ++who.value;
  if (who.value > world::profiles)
    return;
  for (int i = 0; i <= limits::slash_votes_per_profile_max && !world_.violated(); ++i) {
    const auto& on = *find(which); // time passes
    const auto ballot = on.ballots.find(who);
    const bool too_many = ballot != on.ballots.end() && ballot->second.votes >= limits::slash_votes_per_profile_max;
    const auto side = ballot == on.ballots.end() ? vote_side::slash : other(ballot->second.side);
    if (vote_now(which, who, side) != (too_many ? told::no : told::yes))
      world_.violation("profile " + std::to_string(who.value) + " cannot vote as often on " + named(which)
                       + " as it may, or more often");
    if (too_many)
      return;
  }
}

/// The tally of a slash that ends is the one in memory; the database refuses another.
void slashers::cancel_all() {
  std::vector<slash_id> open;
  for (const auto& [id, each] : stored())
    if (!each.record.closed)
      open.push_back(id);
  for (const auto id : open) {
    auto& op = begin(named(id) + " is cancelled at last");
    op.judge = [&op](envelope_base& answered) {
      op.outcome = answer_in<slash::cancel_slash>(answered) ? told::yes : told::unknown;
    };
    put(&directory::slashes, slash::cancel_slash{id}, op);
    await_answers();
    if (op.outcome != told::yes || !find(id)->record.closed)
      world_.violation(op.text + ", and is not");
  }
}

void slashers::compare() {
  compare_openings();
  compare_slashes();
  compare_roles();
  vote_again();
  const auto open = std::find_if(stored().begin(), stored().end(), [&](const auto& each) {
    return !each.second.record.closed && each.second.record.ends_at() > world_.database().clock() + 60s;
  });
  if (open != stored().end() && !world_.violated())
    vote_too_often(open->first);
  if (!world_.violated())
    cancel_all();
  compare_sums();
  for (const auto& [key, of] : voters_)
    compare_votes(key, of);
  compare_slashes();
  expect_every_answer();
}

} // namespace credence::test
