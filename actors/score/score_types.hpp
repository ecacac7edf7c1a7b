#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/wei.hpp"
#include "actors/domain/words.hpp"

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace credence::score {

/// A day of the UTC calendar.
using day = std::chrono::sys_days;

/// Ether that a vouch holds since a day: what was vouched at first, or added later.
struct vouch_part {
  wei amount;
  score::day day{};
  friend bool operator==(const vouch_part&, const vouch_part&) = default;
};
/// More than there can be of ether. A larger part is refused.
inline const wei vouch_part_max = (wei{1} << 128) - 1;

/// A fraction of whole numbers, kept exactly and in lowest terms, so that equal numbers compare equal. Numerator and
/// denominator stay below 2^240: there is room to multiply them by any number of points within 256 bits. What would
/// leave that range throws std::overflow_error.
class rational {
public:
  rational() = default;
  /// A whole number.
  explicit rational(std::int64_t whole) : numerator_(whole) {}
  /// Throws std::domain_error when the denominator is 0.
  rational(const wei_change& numerator, const uint256& denominator);

  const wei_change& numerator() const noexcept { return numerator_; }
  const uint256& denominator() const noexcept { return denominator_; }

  /// Without the digits behind the point: 94.5 becomes 94, and -94.5 becomes -94.
  /// Throws std::overflow_error when that does not fit into 64 bits.
  std::int64_t truncated() const;

  friend bool operator==(const rational&, const rational&) = default;
  friend std::strong_ordering operator<=>(const rational& number, std::int64_t whole);

private:
  wei_change numerator_ = 0;
  uint256 denominator_ = 1;
};

/// Decimal digits, after a minus when the number is below zero: all of them when no more than `digits_max` follow the
/// point, else the first `digits_max`, cut off towards zero. No zeros at the end, and never "-0".
/// 94.5 is "94.5"; 720/7 with 12 digits is "102.857142857142".
std::string decimal_text(const rational& number, int digits_max);

/// The score of a user: how far that person is trusted, from 0 to 2800, worked out from facts by whole numbers alone.

inline constexpr std::int32_t score_max = 2800;
/// Where everybody starts, but for users who came with a score of their own (`score_inputs::starting`).
inline constexpr std::int32_t starting_score = 1200;

/// What a review says of its subject; numbered as in the contract of reviews.
enum class sentiment : std::uint8_t { negative, neutral, positive };

/// Reviews of one sentiment that a user has received and that are live.
struct review_sums {
  std::int64_t count = 0;
  /// Sum of their authors' epoch scores; an author without a live profile adds 0.
  std::int64_t author_scores = 0;
  friend bool operator==(const review_sums&, const review_sums&) = default;
};

/// Parts of all active vouches in ether for a user. A part is mature when it is 180 days old on `as_of`, else young.
struct vouch_sums {
  wei young;          // sum of the amounts
  uint256 young_days; // sum of amount times day since 1970
  wei mature;         // sum of the amounts
  score::day as_of{};
  friend bool operator==(const vouch_sums&, const vouch_sums&) = default;
};

/// Why a user loses points by a slash. `subject` and `author` are the parties, the others supported the subject.
enum class penalty_reason : std::uint8_t { subject, author, vouch, review };
/// Points that a user loses by a slash that is closed: 0 to `score_max`. A slash costs a user once.
struct penalty {
  slash_id slash;
  penalty_reason reason{};
  std::int32_t points = 0;
  friend bool operator==(const penalty&, const penalty&) = default;
};

/// All that the score of a user is made of. Sums contain the epoch scores of others, never scores of now.
struct score_inputs {
  /// What the elements are added to: another number than 1200 for a user that came with a score which no record
  /// explains.
  std::int32_t starting = starting_score;
  std::array<review_sums, 3> reviews; // by sentiment
  vouch_sums vouches;
  std::int64_t vouchers = 0;        // users with an active vouch for this one, in either token
  std::int64_t mutual_vouchers = 0; // those whom this user vouches for as well
  std::int64_t votes_up = 0;        // weight of the votes on this user's live reviews and vouches
  std::int64_t votes_down = 0;      // likewise
  std::int64_t unhealthy = 0;       // vouches for this user that ended and were marked unhealthy
  std::vector<penalty> penalties;   // by slash, ascending
  bool human_verified = false;
  std::optional<day> first_seen;             // of the oldest address
  std::optional<std::uint64_t> x_account;    // id at x.com, the lowest where there are several
  std::optional<std::int32_t> inviter_score; // at the epoch

  review_sums& of(sentiment which) { return reviews[static_cast<std::size_t>(which)]; }
  const review_sums& of(sentiment which) const { return reviews[static_cast<std::size_t>(which)]; }
  friend bool operator==(const score_inputs&, const score_inputs&) = default;
};

/// How vouched ether counts: as public samples show, or by the later proposal, which asks for more of it.
enum class vouch_model : std::uint8_t { standard, hardened };
CREDENCE_WORDS(vouch_model, vouch_model_names, "standard", "hardened");

struct score_options {
  vouch_model vouches = vouch_model::standard;
};

// -- what a score consists of -------------------------------------------------

/// In the order in which a breakdown lists them. `limits` holds the points that cutting the sum to 0…2800 adds or
/// removes.
enum class element : std::uint8_t {
  address_age,
  x_account_age,
  reviews,
  vouched_ether,
  vouchers,
  mutual_vouches,
  votes,
  unhealthy_vouches,
  slashes,
  support,
  human_verified,
  inviter,
  limits,
};
inline constexpr std::size_t element_count = 13;

/// A named figure that an element was made of; nothing where it is not known.
struct figure {
  std::string_view name;
  std::variant<std::monostate, bool, std::int64_t, rational, std::string, std::vector<slash_id>> value;
  friend bool operator==(const figure&, const figure&) = default;
};

struct element_score {
  rational raw;            // before the element's intervals or range are applied
  rational weighted;       // after
  std::int32_t points = 0; // `weighted` without what is behind the point
  std::vector<figure> made_of;
  friend bool operator==(const element_score&, const element_score&) = default;
};

/// A score and what it consists of: where it starts and the points of all elements are the score.
struct breakdown {
  std::int32_t score = 0;
  std::int32_t starting = starting_score;
  std::array<element_score, element_count> elements;
  score::day on{};
  vouch_model vouches{};

  const element_score& of(element which) const { return elements[static_cast<std::size_t>(which)]; }
};

} // namespace credence::score
