#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/period/period_types.hpp"

/// What the calendar writes and reads.
namespace credence {

template <>
struct part<period::voting_period> {
  using of = period::voting_period;
  static constexpr field_list fields{field{"id", &of::id},
                                     field{"year", &of::year},
                                     field{"number", &of::number},
                                     field{"starts_at", &of::starts_at},
                                     field{"ends_at", &of::ends_at},
                                     field{"closed_at", &of::closed_at},
                                     field{"live_profiles", &of::live_profiles},
                                     field{"active_projects", &of::active_projects}};
};

template <>
struct fact<period::period_advanced> {
  using of = period::period_advanced;
  static constexpr auto name = "period_advanced";
  static constexpr auto numbers = numbering::hidden;
  static std::string effect(const of& advance) { return std::to_string(advance.opened.id.value); }
  static std::int64_t begins_era(const of& advance) { return advance.opened.id.value; }
  static constexpr auto fields = within(&of::opened, part<period::voting_period>::fields);
};

namespace period {
/// What is written and what is asked.
struct storage {
  using facts = types<period_advanced>;
  using loads = types<load<load_periods, stored_periods>, load<load_electorate, electorate>>;
};
} // namespace period

} // namespace credence
