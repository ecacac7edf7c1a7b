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
  static constexpr field_list fields{
    field{"project_id", &of::project},
    field{"voter_id", &of::voter},
    field{"number", &of::number},
    field{"period_id", &of::in},
    field{"bullish", flag(&of::side, project::sentiment::bullish, project::sentiment::bearish)},
    field{"reason", &of::reason},
    field{"cast_at", &of::at},
    field{"weight", as_number<std::int16_t>(&of::weight)}};
};

template <>
struct part<project::vote_weights> {
  using of = project::vote_weights;
  static constexpr field_list fields{field{"bullish", &of::bullish}, field{"bearish", &of::bearish}};
};
template <>
struct part<project::day_tally> {
  using of = project::day_tally;
  static constexpr field_list fields{field{"period_id", &of::in}, field{"day", &of::day},
                                     field{"bullish", &of::bullish}, field{"bearish", &of::bearish},
                                     field{"weight", &of::weight}};
};
template <>
struct part<project::period_tally> {
  using of = project::period_tally;
  static constexpr field_list fields{field{"period_id", &of::in}, field{"weight", &of::weight}};
};

template <>
struct fact<project::project_tallied> : without_effect<project::project_tallied> {
  static constexpr bool commutes_with_chain = true;
  static constexpr field_list fields{field{"project_id", &of::project}, field{"through", &of::through},
                                     field{"days", &of::days}, field{"periods", &of::periods}};
};

namespace project {
/// What is written and what is asked.
struct storage {
  using facts = types<vote_cast, project_tallied>;
  using loads = types<load<load_project, stored_project>, load<load_history, stored_history>>;
};
} // namespace project

} // namespace credence
