#pragma once

#include "actors/people/people_state.hpp"
#include "actors/score/score_types.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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

} // namespace credence::score
