#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/project/project_types.hpp"

/// What projects write and read.
namespace credence {

template <>
struct fact<project::vote_cast> : numbered<project::vote_cast> {
  static constexpr auto effect = no_effect;
  static constexpr bool commutes_with_chain = true;
  static std::int64_t era(const of& vote) { return vote.in.value; } // of a voting period
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, (project_id, project), (voter_id, voter), number, (period_id, in)),
                 field{"bullish", flag(&of::side, project::sentiment::bullish, project::sentiment::bearish)},
                 CREDENCE_FIELDS(of, reason, (cast_at, at)), field{"weight", as_number<std::int16_t>(&of::weight)});
};

CREDENCE_PART(project::vote_weights, bullish, bearish);
CREDENCE_PART(project::day_tally, (period_id, in), day, bullish, bearish, weight);
CREDENCE_PART(project::period_tally, (period_id, in), weight);

template <>
struct fact<project::project_tallied> : without_effect<project::project_tallied> {
  static constexpr bool commutes_with_chain = true;
  static constexpr auto fields = CREDENCE_FIELDS(of, (project_id, project), through, days, periods);
};

namespace project {
/// What is written and what is asked.
struct storage {
  using facts = types<vote_cast, project_tallied>;
  using loads = types<load<load_project, stored_project>, load<load_history, stored_history>>;
};
} // namespace project

} // namespace credence
