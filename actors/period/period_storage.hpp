#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/period/period_types.hpp"

/// What the calendar writes and reads.
namespace credence {

template <>
struct fact<period::period_advanced> {
  using of = period::period_advanced;
  static constexpr auto name = "period_advanced";
  static constexpr auto numbers = numbering::hidden;
  static std::string effect(const of& advance) { return std::to_string(advance.opened.id.value); }
  static std::int64_t begins_era(const of& advance) { return advance.opened.id.value; }
  static period_id id(const of& advance) { return advance.opened.id; }
  static std::int32_t year(const of& advance) { return advance.opened.year; }
  static std::int32_t number(const of& advance) { return advance.opened.number; }
  static timestamp starts_at(const of& advance) { return advance.opened.starts_at; }
  static timestamp ends_at(const of& advance) { return advance.opened.ends_at; }
  static std::int64_t live_profiles(const of& advance) { return advance.opened.live_profiles; }
  static std::int64_t active_projects(const of& advance) { return advance.opened.active_projects; }
  static constexpr field_list fields{field{"closes", &of::closes},
                                     field{"id", &id},
                                     field{"year", &year},
                                     field{"number", &number},
                                     field{"starts_at", &starts_at},
                                     field{"ends_at", &ends_at},
                                     field{"live_profiles", &live_profiles},
                                     field{"active_projects", &active_projects}};
};

namespace period {
/// What is written and what is asked.
struct storage {
  using facts = types<period_advanced>;
  using loads = types<load<load_periods, stored_periods>, load<load_electorate, electorate>>;
};
} // namespace period

} // namespace credence
