#pragma once

#include "actors/people/people_index.hpp"
#include "actors/score/score_types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// The elements of a score: their public names and their ranges.
namespace credence::score {

/// From the first number up to and without the second; nothing: no end on that side.
struct interval {
  std::optional<std::int32_t> start;
  std::optional<std::int32_t> end;
  std::int32_t score = 0;
};

/// How `raw` becomes `weighted`: looked up among intervals, where a number in none of them gives `out_of_range`, or
/// kept within `min` and `max`. Points of an element are within `min` and `max` either way.
struct element_rule {
  std::string_view name;
  std::int32_t min = 0;
  std::int32_t max = 0;
  std::span<const interval> intervals = {};
  std::int32_t out_of_range = 0;
};

inline constexpr std::array<interval, 4> address_age_intervals{
  {{0, 90, 0}, {90, 365, 1}, {365, 1461, 3}, {1461, std::nullopt, 5}}};
/// Nothing is said of 730 to 1460 days.
inline constexpr std::array<interval, 4> x_account_age_intervals{
  {{0, 90, -250}, {90, 365, -50}, {365, 730, 0}, {1461, std::nullopt, 5}}};

/// By `element`, without the limits.
inline constexpr std::array<element_rule, element_count - 1> element_rules{{
  {"Ethereum Address Age (days)", 0, 5, address_age_intervals},
  {"Twitter Account Age (days)", -250, 5, x_account_age_intervals},
  {"Review Impact", -800, 270},
  {"Vouched Ethereum Impact", 0, 270},
  {"Number of Vouchers Impact", 0, 270},
  {"Mutual Vouch Bonus", 0, 100},
  {"Vote Impact", -50, 50},
  {"Unhealthy Vouches", -50, 0},
  {"Slash Penalty", -score_max, 0},
  {"Supporter Penalty", -score_max, 0},
  {"Human Verified", 0, 100},
  {"Inviter", -20, 20},
}};

namespace detail {

constexpr element_rule make_limits_rule() {
  auto lowest = 0; // where the lowest starts, and the highest
  auto highest = score_max;
  for (const auto& each : element_rules) {
    lowest += each.min;
    highest += each.max;
  }
  return {"Score Limits", score_max - highest, -lowest};
}

} // namespace detail

/// The range of `Score Limits`: how far the start and the other elements together may lie above 2800 (a negative
/// number) or below 0.
inline constexpr element_rule limits_rule = detail::make_limits_rule();

constexpr const element_rule& rule_of(element which) {
  return which == element::limits ? limits_rule : element_rules[static_cast<std::size_t>(which)];
}

/// The arithmetic of the score: whole numbers and exact fractions only, so the same inputs give the same score on every
/// machine.

/// Days after which vouched ether counts no more than before.
inline constexpr std::chrono::days vouch_matures_after{180};

/// Whether a part counts in full on that day.
constexpr bool is_mature(day since, day on) { return on - since >= vouch_matures_after; }

/// Sum of amount times age in whole days, 180 at most, over all parts: x(D) = D * young - young_days + 180 * mature.
/// Right on the day that the sums are of and on the day after; with no young part on any later day, too. Another day
/// throws std::out_of_range: parts that have become mature since must be moved first (`advance`, score_facts.hpp). A
/// sum below zero throws std::range_error: no part may be of a later day than `on`.
uint256 wei_days(const vouch_sums& sums, day on);

/// When an account at x.com was opened, as its id tells.
struct x_account_opening {
  score::day day{};
  bool exact = false; // else that day or earlier
};
/// Ids above 10^12 hold their time to the millisecond. Smaller ones were given out until the end of 2015.
x_account_opening opening_of(std::uint64_t x_account);
/// Reads an id at x.com: 1 to 2^64 - 1, in digits only and without a zero in front; nothing when it is not
/// that.
std::optional<std::uint64_t> parse_x_account(std::string_view text);

/// Slashes that an element names, those with the highest ids; its points are of all.
inline constexpr std::ptrdiff_t slashes_listed_max = 100;

/// The score on a day, and what every element adds to it. 1200 and the points of all elements are exactly the score;
/// what the bounds 0 and 2800 take or give is an element as well. The sums of vouches must be of that day or the day
/// before, as for `wei_days`, which throws otherwise.
breakdown breakdown_of(const score_inputs& inputs, day on, score_options options = {});

/// What an inviter with this epoch score adds to the score of whom they bring in, or takes from it.
std::int32_t inviter_points(std::int32_t inviter_score);

/// The points of every element, in the order of `element`.
std::vector<std::int32_t> points_of(const breakdown& breakdown);

/// What a score would be with records that nobody has written.

struct assumed_review {
  sentiment how{};
  std::int32_t author_score = starting_score;
};

/// Records about a user, besides those that are there.
struct assumed_records {
  std::vector<assumed_review> reviews;
  wei ether;                   // vouched for the user
  std::chrono::days vouched{}; // so long ago
  std::int64_t vouchers = 0;   // people who vouch
  std::int64_t votes_up = 0;   // on the user's reviews and vouches, each of the weight 1
  std::int64_t votes_down = 0; // likewise
  std::int64_t slashed = 0;    // points that closed slashes cost the user
};

/// What the score of a user would consist of if these records were there as well.
struct assume_score {
  using answer_type = breakdown;
  user_id user;
  assumed_records records;
};

/// The sums with these records, on a day. As `apply` (score_facts.hpp), throws for records that cannot be.
score_inputs with_assumed(score_inputs inputs, const assumed_records& records, day on);

} // namespace credence::score
