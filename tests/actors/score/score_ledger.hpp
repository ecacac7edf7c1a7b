#pragma once

#include "actors/score/score_facts.hpp"
#include "actors/score/score_state.hpp"

#include <algorithm>
#include <utility>

namespace credence::score {

/// Records and the inputs that follow them change by change, as a database does that sees each row before and after. A
/// record that is edited is counted out as it was, with what depends on it, and counted in as it is.
class score_ledger {
public:
  facts all;
  std::map<user_id, score_inputs> inputs;
  day today{};

  person& who(user_id id) {
    return *std::find_if(all.people.begin(), all.people.end(), [&](const person& each) { return each.id == id; });
  }

  /// Edits a review, or writes it.
  template <class Edit>
  void edit_review(std::size_t at, Edit edit) {
    around({activity::review, all.reviews[at].number}, [&] { edit(all.reviews[at]); });
  }
  void write(const review& review) {
    all.reviews.push_back(review);
    count_review(direction::in, all.reviews.back());
  }
  template <class Edit>
  void edit_vouch(std::size_t at, Edit edit) {
    const auto before = pair_of(all.vouches[at]);
    count_pair(direction::out, before);
    around(all.vouches[at].id, [&] {
      count_ether(direction::out, all.vouches[at]);
      edit(all.vouches[at]);
      count_ether(direction::in, all.vouches[at]);
      // Its subject may be another one now: both pairs are counted anew.
      if (const auto after = pair_of(all.vouches[at]); after != before) {
        uncount_without(at, after);
        count_pair(direction::in, before);
        count_pair(direction::in, after);
      } else {
        count_pair(direction::in, before);
      }
    });
  }
  void write(const vouch& vouch) {
    const auto pair = pair_of(vouch);
    count_pair(direction::out, pair);
    all.vouches.push_back(vouch);
    count_pair(direction::in, pair);
    count_ether(direction::in, vouch);
  }
  template <class Edit>
  void edit_vote(std::size_t at, Edit edit) {
    around(all.votes[at].target, [&] { edit(all.votes[at]); });
  }
  void write(const activity_vote& vote) {
    around(vote.target, [&] { all.votes.push_back(vote); });
  }
  void close(const user_penalty& penalty) {
    all.penalties.push_back(penalty);
    apply(inputs[penalty.user], penalty_counted{direction::in, penalty.penalty});
  }
  void open_again(slash_id which) {
    for (const auto& each : all.penalties)
      if (each.penalty.slash == which)
        apply(inputs[each.user], penalty_counted{direction::out, each.penalty});
    std::erase_if(all.penalties, [&](const user_penalty& each) { return each.penalty.slash == which; });
  }

  /// Moves a person's standing (an epoch's score, or an archived profile) through everything that contains it.
  template <class Edit>
  void edit_standing(user_id id, Edit edit) {
    count_votes_of(direction::out, id);
    const auto before = effective_epoch_score(who(id));
    edit(who(id));
    const auto after = effective_epoch_score(who(id));
    std::map<std::pair<user_id, sentiment>, std::int64_t> reviews;
    for (const auto& each : all.reviews)
      if (each.author == id && !each.archived && each.author != each.subject)
        ++reviews[{each.subject, effective(each, voted_down(each))}];
    for (const auto& [whose, number] : reviews)
      apply(inputs[whose.first], reviewer_rescored{whose.second, number, before, after});
    for (const auto& each : all.people)
      if (each.inviter == id)
        apply(inputs[each.id], inviter_rescored{who(id).epoch_score});
    count_votes_of(direction::in, id);
  }

  std::vector<vouch_part> parts_of(user_id subject) const {
    std::vector<vouch_part> out;
    for (const auto& each : all.vouches)
      if (each.subject == subject && each.author != subject && !each.archived && each.in_ether)
        out.insert(out.end(), each.parts.begin(), each.parts.end());
    return out;
  }
  /// The inputs after the epoch of today has visited everybody.
  std::map<user_id, score_inputs> settled() const {
    auto out = inputs;
    for (auto& [id, each] : out)
      advance(each, today, parts_of(id));
    return out;
  }

private:
  using two_users = std::pair<user_id, user_id>;

  void add(const addressed_change& change) { apply(inputs[change.user], change.change); }
  static two_users pair_of(const vouch& vouch) { return std::minmax(vouch.author, vouch.subject); }

  bool voted_down(const review& review) const {
    return std::any_of(all.votes.begin(), all.votes.end(), [&](const activity_vote& each) {
      return each.target == activity_id{activity::review, review.number} && each.voter == review.subject
             && !each.archived && !each.up;
    });
  }
  void count_review(direction way, const review& review) {
    if (const auto change = counted(way, review, effective_epoch_score(who(review.author)), voted_down(review)))
      add(*change);
  }
  void count_ether(direction way, const vouch& vouch) {
    for (const auto& change : counted(way, vouch, today))
      add(change);
  }
  bool vouches(user_id author, user_id subject, std::size_t without) const {
    for (std::size_t i = 0; i < all.vouches.size(); ++i)
      if (const auto& each = all.vouches[i];
          i != without && each.author == author && each.subject == subject && vouches_for(each))
        return true;
    return false;
  }
  void count_pair(direction way, const two_users& who_and_whom, std::size_t without = static_cast<std::size_t>(-1)) {
    const auto& [one, other] = who_and_whom;
    const bool there = vouches(one, other, without);
    const bool back = vouches(other, one, without);
    if (there)
      for (const auto& change : counted_pair(way, one, other, back))
        add(change);
    if (back)
      for (const auto& change : counted_pair(way, other, one, false))
        add(change);
  }
  /// Counts out a pair as it is without one vouch.
  void uncount_without(std::size_t at, const two_users& users) { count_pair(direction::out, users, at); }

  void count_vote(direction way, const activity_vote& vote) {
    user_id author;
    bool live = false;
    for (const auto& each : all.reviews)
      if (activity_id{activity::review, each.number} == vote.target)
        author = each.author, live = !each.archived;
    for (const auto& each : all.vouches)
      if (each.id == vote.target)
        author = each.author, live = !each.archived;
    if (const auto change =
          counted(way, vote, author, live, people::vote_weight_of(effective_epoch_score(who(vote.voter)))))
      add(*change);
  }
  void count_votes_of(direction way, user_id voter) {
    for (const auto& each : all.votes)
      if (each.voter == voter)
        count_vote(way, each);
  }
  /// The votes on a target, and the target itself where it is a review, out and in again.
  template <class Edit>
  void around(const activity_id& target, Edit edit) {
    count_target(direction::out, target);
    edit();
    count_target(direction::in, target);
  }
  void count_target(direction way, const activity_id& target) {
    for (const auto& each : all.votes)
      if (each.target == target)
        count_vote(way, each);
    for (const auto& each : all.reviews)
      if (activity_id{activity::review, each.number} == target)
        count_review(way, each);
  }
};

} // namespace credence::score
