#pragma once

#include "actors/people/people_index.hpp"
#include "actors/score/score_types.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// How facts move the inputs of a user. Every change adds to sums or takes away what was added before, so independent
/// changes give the same inputs in whatever order they come.
namespace credence::score {

/// Whether something begins or ceases to count.
enum class direction : std::uint8_t { in, out };

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

/// How records change the score inputs of users. A record that changes is counted out as it was
/// and counted in as it is; the same rules make all inputs from nothing (`inputs_from`).
///
/// Nobody moves their own score: what users write about themselves, or vote on their own records, counts nothing. That
/// may be so only later, as when somebody claims an address that they have reviewed.

/// An author with so many records that an epoch visits them in pieces: those behind these numbers weigh by the score
/// before.
struct partially_processed {
  std::int32_t before = 0;
  std::int64_t reviews_through = 0;
  std::int64_t votes_through = 0;
};

/// A user, and what is known of that person.
struct person {
  user_id id;
  bool live = false; // has a profile that is not archived
  std::int32_t epoch_score = people::neutral_score;
  bool human_verified = false;
  user_id inviter = {};                     // 0: none
  std::vector<day> addresses_seen = {};     // when each address was first seen
  std::vector<std::string> x_accounts = {}; // ids of accounts that are attested and not archived
  std::int32_t starting = starting_score;
  std::optional<partially_processed> epoch_in_progress = {};
};

/// What the opinion of somebody weighs in the reviews of others: the epoch score, or 0 without a live profile.
std::int32_t effective_epoch_score(const person& who) noexcept;

enum class activity : std::uint8_t { review, vouch, vouch_v2 };
/// A review or vouch by the number in its contract; vouches made over the API are of `vouch`.
struct activity_id {
  activity kind{};
  std::int64_t number = 0;
  friend auto operator<=>(const activity_id&, const activity_id&) = default;
};

struct review {
  std::int64_t number = 0;
  user_id author; // 0: nobody known
  user_id subject;
  sentiment how{};
  bool archived = false;
};

struct vouch {
  activity_id id;
  user_id author;
  user_id subject;
  bool in_ether = true; // else in the service's token, which counts the voucher and no amount
  std::vector<vouch_part> parts = {};
  bool archived = false;
  bool unhealthy = false; // it ended, and was marked
};

struct activity_vote {
  activity_id target;
  user_id voter;
  bool up = false;
  bool archived = false;
  std::int64_t number = 0; // in its contract
};

/// What the author of a review, or the voter, weighs in it: as `effective_epoch_score`, but the score before in what an
/// epoch has not reached yet.
std::int32_t effective_epoch_score_in(const person& author, const review& review) noexcept;
std::int32_t effective_epoch_score_in(const person& voter, const activity_vote& vote) noexcept;

/// A penalty and the user who pays it.
struct user_penalty {
  user_id user;
  score::penalty penalty;
  friend bool operator==(const user_penalty&, const user_penalty&) = default;
};

/// A change and whose inputs it moves.
struct addressed_change {
  user_id user;
  input_change change;
};

/// What a review says for the score: a positive one that its subject voted down is neutral (EIP-6).
sentiment effective(const review& review, bool voted_down_by_subject) noexcept;

/// What a review counts for its subject; nothing when it is archived or about its author.
std::optional<addressed_change> counted(direction way, const review& review, std::int32_t author_epoch_score,
                                        bool voted_down_by_subject);
/// What the ether of a vouch counts for its subject, part by part, and the mark of one that ended. The voucher is
/// counted once for all vouches of a pair: see `vouches_for`.
std::vector<addressed_change> counted(direction way, const vouch& vouch, day epoch);
/// What a vote counts for the author of its target; nothing when it is archived, or the target is, or the voter is the
/// author. `weight` is that of the voter's standing (`people::vote_weight_of`).
std::optional<addressed_change> counted(direction way, const activity_vote& vote, user_id target_author,
                                        bool target_live, std::int32_t weight);

/// Whether a vouch makes its author one of the subject's vouchers.
bool vouches_for(const vouch& vouch) noexcept;
/// The changes when a pair begins or ceases, which has one vouch of the author for the subject or several: one voucher
/// for the subject; if the subject vouches back (`mutual`), one mutual vouch for each of the two.
std::vector<addressed_change> counted_pair(direction way, user_id author, user_id subject, bool mutual);

/// Puts ether that was added on a day to the parts of a vouch, which are in order of days, one a day.
void put(std::vector<vouch_part>& parts, const vouch_part& added);
/// Takes ether out of a vouch (a withdrawal, a slash): what was added last goes first. Throws std::out_of_range, and
/// takes nothing, when there is less than that.
void take(std::vector<vouch_part>& parts, const wei& amount);

/// All records that scores rest on, in any order.
struct facts {
  std::vector<person> people;
  std::vector<review> reviews;
  std::vector<vouch> vouches;
  std::vector<activity_vote> votes;
  std::vector<user_penalty> penalties;
};

/// The inputs of every user in `people` on a day, from nothing. Changes that are applied one by one give the same.
/// Throws std::invalid_argument when a record names somebody who is not in `people`, or a vote a target that is not
/// there, and what `apply` throws.
std::map<user_id, score_inputs> inputs_from(const facts& all, day on);

} // namespace credence::score
