#pragma once

#include "actors/score/score_types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

/// How facts move the inputs of a user. Every change adds to sums or takes away what was added before, so independent
/// changes give the same inputs in whatever order they come.
namespace credence::score {

/// Whether something begins or ceases to count.
enum class direction : std::uint8_t { in, out };
constexpr direction reversed(direction way) { return way == direction::in ? direction::out : direction::in; }

/// A review of the user begins to count (it was written, restored, or its subject moved here) or ceases to count.
struct review_counted {
  direction way{};
  sentiment how{};
  std::int32_t author_score = 0; // at the epoch; 0 without a live profile
};
/// At an epoch, or when the profile of an author is archived or restored, the score of somebody who wrote `reviews`
/// live reviews of the user goes from one number to another.
struct reviewer_rescored {
  sentiment how{};
  std::int64_t reviews = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
};
/// Ether begins or ceases to count. A part that ceases must have begun with the same amount and day.
struct vouch_part_counted {
  direction way{};
  vouch_part part;
  day epoch{}; // the newest that has begun: sums without young parts are of that day at once
};
/// A user vouches for this one from now on, or no more. Either token, once for both.
struct voucher_counted {
  direction way{};
};
/// From now on both vouch for each other, or no more.
struct mutual_voucher_counted {
  direction way{};
};
/// A vouch for the user that ended was marked unhealthy, or is gone.
struct unhealthy_counted {
  direction way{};
};
/// A vote on a review or vouch of the user begins or ceases to count.
struct vote_counted {
  direction way{};
  bool up = false;
  std::int32_t weight = 0; // by the voter's epoch score
};
/// A slash was closed against the user, or is open again.
struct penalty_counted {
  direction way{};
  score::penalty penalty;
};
struct human_verification_set {
  bool verified = false;
};
/// The oldest of the addresses that the user has now.
struct first_seen_set {
  std::optional<day> oldest;
};
/// The lowest id of the accounts at x.com that the user has now.
struct x_account_set {
  std::optional<std::uint64_t> id;
};
/// The inviter's epoch score changed, or the user got or lost an inviter; no score without one.
struct inviter_rescored {
  std::optional<std::int32_t> score;
};

using input_change = std::variant<review_counted, reviewer_rescored, vouch_part_counted, voucher_counted,
                                  mutual_voucher_counted, unhealthy_counted, vote_counted, penalty_counted,
                                  human_verification_set, first_seen_set, x_account_set, inviter_rescored>;

/// Applies a change. Throws and changes nothing when the change cannot be true of these inputs: std::out_of_range for
/// an amount above `vouch_part_max`, a score beyond 0 to 2800, a weight beyond 0 to 7, or points beyond 0 to 2800, and
/// for taking away more than was added; std::invalid_argument for a second penalty of the same slash, or the end of one
/// that is not there.
void apply(score_inputs& to, const input_change& change);

/// Whether a vouch may hold a part: 1 to `vouch_part_max` wei, of 1970 or later. The rules of vouches refuse more than
/// 10^36 wei
/// (`transfer_wei_max`), which is less, before it becomes a fact.
bool is_countable(const vouch_part& part);

/// Brings the sums of vouches to a later day. `parts` are those of all active vouches for the user, or at least those
/// that become mature in between. Changes nothing when the sums are of that day or a later one.
void advance(score_inputs& of, day to, std::span<const vouch_part> parts);

} // namespace credence::score
