#include "actors/score/score_changes.hpp"

#include "actors/score/score_state.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

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

} // namespace credence::score
