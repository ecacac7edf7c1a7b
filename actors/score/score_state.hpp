#pragma once

#include "actors/score/elements.hpp"
#include "actors/score/score_types.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/// The arithmetic of the score: whole numbers and exact fractions only, so the same inputs give the same score on every
/// machine.
namespace credence::score {

/// Days after which vouched ether counts no more than before.
inline constexpr std::chrono::days vouch_matures_after{180};

/// Whether a part counts in full on that day.
constexpr bool is_mature(day since, day on) { return on - since >= vouch_matures_after; }

/// Sum of amount times age in whole days, 180 at most, over all parts: x(D) = D * young - young_days + 180 * mature.
/// Right on the day that the sums are of and on the day after; with no young part on any later day, too. Another day
/// throws std::out_of_range: parts that have become mature since must be moved first (`advance`, score_changes.hpp). A
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

/// The points of every element, in the order of `element`.
std::vector<std::int32_t> points_of(const breakdown& breakdown);

} // namespace credence::score
