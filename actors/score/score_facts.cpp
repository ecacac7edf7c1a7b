#include "actors/score/score_facts.hpp"

#include "actors/people/people_index.hpp"
#include "actors/score/score_state.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace credence::score {

namespace {

constexpr std::int32_t weight_max = 7;

void require(bool holds, const char* text) {
  if (!holds)
    throw std::out_of_range(text);
}

std::int32_t checked_score(std::int32_t score) {
  require(score >= 0 && score <= score_max, "an epoch score beyond 0 to 2800");
  return score;
}

/// Adds; throws if the sum would become negative or overflow.
void move(std::int64_t& sum, std::int64_t by) {
  std::int64_t moved = 0;
  require(!__builtin_add_overflow(sum, by, &moved) && moved >= 0,
          "a sum of a score would be below zero, or beyond 64 bits");
  sum = moved;
}

/// Adds `by` to a sum (in) or subtracts it (out).
void count(std::int64_t& sum, direction way, std::int64_t by = 1) { move(sum, way == direction::in ? by : -by); }

void count(uint256& sum, direction way, const uint256& by) {
  require(way == direction::in || by <= sum, "more ether would be taken out of a score than there is in it");
  if (way == direction::in)
    sum += by; // stays below 2^222: a part has 128 bits, a day 31, and there are less than 2^63 parts
  else
    sum -= by;
}

uint256 days_of(const vouch_part& part) { return part.amount * part.day.time_since_epoch().count(); }

void apply_one(score_inputs& to, const review_counted& change) {
  checked_score(change.author_score);
  auto& sums = to.of(change.how);
  count(sums.count, change.way);
  count(sums.author_scores, change.way, change.author_score);
}

void apply_one(score_inputs& to, const reviewer_rescored& change) {
  require(change.reviews >= 0 && change.reviews <= to.of(change.how).count,
          "more reviews of one author than there are");
  std::int64_t moved = 0;
  require(!__builtin_mul_overflow(change.reviews, std::int64_t{checked_score(change.to) - checked_score(change.from)},
                                  &moved),
          "a sum of a score would be beyond 64 bits");
  move(to.of(change.how).author_scores, moved);
}

void apply_one(score_inputs& to, const vouch_part_counted& change) {
  require(is_countable(change.part), "a part of a vouch holds 1 to 2^128 - 1 wei and is of no day before 1970");
  auto& sums = to.vouches;
  if (sums.young == 0)
    sums.as_of = std::max(sums.as_of, change.epoch);
  if (is_mature(change.part.day, sums.as_of))
    return count(sums.mature, change.way, change.part.amount);
  count(sums.young, change.way, change.part.amount);
  count(sums.young_days, change.way, days_of(change.part));
}

void apply_one(score_inputs& to, const voucher_counted& change) { count(to.vouchers, change.way); }

void apply_one(score_inputs& to, const mutual_voucher_counted& change) { count(to.mutual_vouchers, change.way); }

void apply_one(score_inputs& to, const unhealthy_counted& change) { count(to.unhealthy, change.way); }

void apply_one(score_inputs& to, const vote_counted& change) {
  require(change.weight >= 0 && change.weight <= weight_max, "a vote weighs 0 to 7");
  count(change.up ? to.votes_up : to.votes_down, change.way, change.weight);
}

void apply_one(score_inputs& to, const penalty_counted& change) {
  const auto& found = change.penalty;
  require(found.points >= 0 && found.points <= score_max, "a penalty beyond 0 to 2800 points");
  const auto at = std::lower_bound(to.penalties.begin(), to.penalties.end(), found.slash,
                                   [](const penalty& each, slash_id slash) { return each.slash < slash; });
  const bool there = at != to.penalties.end() && at->slash == found.slash;
  if (change.way == direction::in) {
    if (there)
      throw std::invalid_argument("slash " + std::to_string(found.slash.value) + " costs the user points already");
    to.penalties.insert(at, found);
  } else {
    if (!there || !(*at == found))
      throw std::invalid_argument("slash " + std::to_string(found.slash.value)
                                  + " does not cost the user these points");
    to.penalties.erase(at);
  }
}

void apply_one(score_inputs& to, const human_verification_set& change) { to.human_verified = change.verified; }

void apply_one(score_inputs& to, const first_seen_set& change) { to.first_seen = change.oldest; }

void apply_one(score_inputs& to, const x_account_set& change) { to.x_account = change.id; }

void apply_one(score_inputs& to, const inviter_rescored& change) {
  if (change.score)
    checked_score(*change.score);
  to.inviter_score = change.score;
}

} // namespace

bool is_countable(const vouch_part& part) {
  return part.amount > 0 && part.amount <= vouch_part_max && part.day >= day{};
}

void apply(score_inputs& to, const input_change& change) {
  auto moved = to;
  std::visit([&](const auto& each) { apply_one(moved, each); }, change);
  to = std::move(moved);
}

void advance(score_inputs& of, day to, std::span<const vouch_part> parts) {
  auto sums = of.vouches;
  if (to <= sums.as_of)
    return;
  for (const auto& part : parts)
    if (!is_mature(part.day, sums.as_of) && is_mature(part.day, to)) {
      count(sums.young, direction::out, part.amount);
      count(sums.young_days, direction::out, days_of(part));
      count(sums.mature, direction::in, part.amount);
    }
  sums.as_of = to;
  of.vouches = sums;
}

namespace {

/// The records of a moment, and the inputs that grow from them.
class counting {
public:
  counting(const facts& all, day on) : all_(all), on_(on) {
    for (const auto& each : all.people) {
      people_.emplace(each.id, &each);
      inputs_[each.id].vouches.as_of = on;
    }
    for (const auto& each : all.reviews)
      targets_[{activity::review, each.number}] = {each.author, each.subject, !each.archived};
    for (const auto& each : all.vouches)
      targets_[each.id] = {each.author, each.subject, !each.archived};
  }

  std::map<user_id, score_inputs> all() && {
    for (const auto& each : all_.people)
      count(each);
    count_votes();
    for (const auto& each : all_.reviews)
      if (const auto change =
            counted(direction::in, each, standing(each.author, each), voted_down_.contains(each.number)))
        add(*change);
    count_vouches();
    for (const auto& each : all_.penalties)
      add({each.user, penalty_counted{direction::in, each.penalty}});
    return std::move(inputs_);
  }

private:
  struct target {
    user_id author;
    user_id subject;
    bool live = false;
  };

  const person& of(user_id who) const {
    const auto found = people_.find(who);
    if (found == people_.end())
      throw std::invalid_argument("a record names user " + std::to_string(who.value) + ", who is not there");
    return *found->second;
  }
  template <class Record>
  std::int32_t standing(user_id who, const Record& in) const {
    return who ? effective_epoch_score_in(of(who), in) : 0;
  }

  void add(const addressed_change& change) {
    of(change.user);
    apply(inputs_[change.user], change.change);
  }

  void count(const person& who) {
    auto& inputs = inputs_[who.id];
    inputs.starting = who.starting;
    inputs.human_verified = who.human_verified;
    if (!who.addresses_seen.empty())
      inputs.first_seen = *std::min_element(who.addresses_seen.begin(), who.addresses_seen.end());
    for (const auto& each : who.x_accounts)
      if (const auto id = parse_x_account(each))
        inputs.x_account = std::min(*id, inputs.x_account.value_or(*id));
    if (who.inviter)
      apply(inputs, inviter_rescored{of(who.inviter).epoch_score});
  }

  /// Before the reviews, as a vote of its subject changes what a review says.
  void count_votes() {
    for (const auto& each : all_.votes) {
      const auto found = targets_.find(each.target);
      if (found == targets_.end())
        throw std::invalid_argument("a vote is on record " + std::to_string(each.target.number)
                                    + ", which is not there");
      const auto& on = found->second;
      if (each.target.kind == activity::review && !each.archived && !each.up && each.voter == on.subject)
        voted_down_.insert(each.target.number);
      if (const auto change =
            counted(direction::in, each, on.author, on.live, people::vote_weight_of(standing(each.voter, each))))
        add(*change);
    }
  }

  void count_vouches() {
    std::set<std::pair<user_id, user_id>> pairs;
    for (const auto& each : all_.vouches) {
      for (const auto& change : counted(direction::in, each, on_))
        add(change);
      if (vouches_for(each))
        pairs.emplace(each.author, each.subject);
    }
    for (const auto& [author, subject] : pairs) {
      // A mutual vouch is two pairs; the one with the lower author counts it.
      const bool mutual = author < subject && pairs.contains({subject, author});
      for (const auto& change : counted_pair(direction::in, author, subject, mutual))
        add(change);
    }
  }

  const facts& all_;
  day on_;
  std::map<user_id, const person*> people_;
  std::map<activity_id, target> targets_;
  std::set<std::int64_t> voted_down_; // reviews, by their subjects
  std::map<user_id, score_inputs> inputs_;
};

} // namespace

std::int32_t effective_epoch_score(const person& who) noexcept { return who.live ? who.epoch_score : 0; }

std::int32_t effective_epoch_score_in(const person& author, const review& review) noexcept {
  const bool reached = !author.epoch_in_progress || review.number <= author.epoch_in_progress->reviews_through;
  return reached || !author.live ? effective_epoch_score(author) : author.epoch_in_progress->before;
}

std::int32_t effective_epoch_score_in(const person& voter, const activity_vote& vote) noexcept {
  const bool reached = !voter.epoch_in_progress || vote.number <= voter.epoch_in_progress->votes_through;
  return reached || !voter.live ? effective_epoch_score(voter) : voter.epoch_in_progress->before;
}

sentiment effective(const review& review, bool voted_down_by_subject) noexcept {
  return review.how == sentiment::positive && voted_down_by_subject ? sentiment::neutral : review.how;
}

std::optional<addressed_change> counted(direction way, const review& review, std::int32_t author_epoch_score,
                                        bool voted_down_by_subject) {
  if (review.archived || review.author == review.subject)
    return std::nullopt;
  return addressed_change{review.subject,
                          review_counted{way, effective(review, voted_down_by_subject), author_epoch_score}};
}

std::vector<addressed_change> counted(direction way, const vouch& vouch, day epoch) {
  std::vector<addressed_change> out;
  if (vouch.author == vouch.subject)
    return out;
  if (vouch.unhealthy)
    out.push_back({vouch.subject, unhealthy_counted{way}});
  if (!vouch.archived && vouch.in_ether)
    for (const auto& part : vouch.parts)
      out.push_back({vouch.subject, vouch_part_counted{way, part, epoch}});
  return out;
}

std::optional<addressed_change> counted(direction way, const activity_vote& vote, user_id target_author,
                                        bool target_live, std::int32_t weight) {
  if (vote.archived || !target_live || !target_author || vote.voter == target_author)
    return std::nullopt;
  return addressed_change{target_author, vote_counted{way, vote.up, weight}};
}

bool vouches_for(const vouch& vouch) noexcept {
  return !vouch.archived && vouch.author && vouch.author != vouch.subject;
}

std::vector<addressed_change> counted_pair(direction way, user_id author, user_id subject, bool mutual) {
  std::vector<addressed_change> out{{subject, voucher_counted{way}}};
  if (mutual) {
    out.push_back({author, mutual_voucher_counted{way}});
    out.push_back({subject, mutual_voucher_counted{way}});
  }
  return out;
}

void put(std::vector<vouch_part>& parts, const vouch_part& added) {
  const auto at = std::lower_bound(parts.begin(), parts.end(), added.day,
                                   [](const vouch_part& each, day when) { return each.day < when; });
  if (at != parts.end() && at->day == added.day)
    at->amount += added.amount;
  else
    parts.insert(at, added);
}

void take(std::vector<vouch_part>& parts, const wei& amount) {
  wei there;
  for (const auto& each : parts)
    there += each.amount;
  if (amount > there)
    throw std::out_of_range("a vouch of " + decimal(there) + " wei cannot give " + decimal(amount));
  wei rest = amount;
  while (rest > 0) {
    auto& last = parts.back();
    if (last.amount > rest) {
      last.amount -= rest;
      return;
    }
    rest -= last.amount;
    parts.pop_back();
  }
}

std::map<user_id, score_inputs> inputs_from(const facts& all, day on) { return counting{all, on}.all(); }

} // namespace credence::score
