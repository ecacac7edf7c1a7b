#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/period/period_types.hpp"
#include "actors/profile/vote_parts.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// Profiles: who may vote, and what each has cast.
namespace credence::profile {

// -- questions ----------------------------------------------------------------

struct balance_view {
  vote_balance balance;
  std::optional<sentiment> vote; // on the project asked about, in that period
};

struct get_balance {
  static constexpr bool brief = true;
  using answer_type = balance_view;
  profile_id profile;
  std::optional<project_id> project;
  period::period_name in;
};

struct get_own_votes {
  using answer_type = std::vector<own_vote>;
  profile_id profile;
  period_id in;
};

// -- loading ------------------------------------------------------------------

/// A profile and what it has cast in one period.
struct load_profile {
  profile_id profile;
  period_id in;
};

struct stored_profile {
  bool exists = false;
  bool archived = false;
  global_seq as_of = 0; // every vote up to here is in `votes`
  std::vector<own_vote> votes;
};

/// How many votes of either side each voter has cast in a period.
struct count_votes {
  struct voter {
    profile_id who;
    period_id in;
  };
  std::vector<voter> voters;
};

struct vote_count {
  std::int64_t bullish = 0;
  std::int64_t bearish = 0;
};

struct counted_votes {
  std::vector<vote_count> counts; // in the order of the voters
};

} // namespace credence::profile
