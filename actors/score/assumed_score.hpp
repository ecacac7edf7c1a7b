#pragma once

#include "actors/score/score_types.hpp"

#include <cstdint>
#include <vector>

/// What a score would be with records that nobody has written.
namespace credence::score {

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

/// The sums with these records, on a day. As `apply` (score_changes.hpp), throws for records that cannot be.
score_inputs with_assumed(score_inputs inputs, const assumed_records& records, day on);

} // namespace credence::score
