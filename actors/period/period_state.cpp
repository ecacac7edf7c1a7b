#include "actors/period/period_state.hpp"

#include "actors/period/period_types.hpp"

#include <algorithm>
#include <cassert>

namespace credence::period {

const voting_period* calendar::find(const period_name& name) const {
  if (!name.year && !name.number)
    return &current();
  const auto year = name.year.value_or(current().year);
  const voting_period* newest = nullptr;
  for (const auto& each : periods) {
    if (each.year != year)
      continue;
    if (!name.number)
      newest = &each; // oldest first: the last one stays
    else if (each.number == *name.number)
      return &each;
  }
  return newest;
}

const voting_period* calendar::find(period_id id) const {
  // Ids are gapless from 1, so the place is known.
  const auto at = static_cast<std::size_t>(id.value) - 1;
  return id && at < periods.size() && periods[at].id == id ? &periods[at] : nullptr;
}

std::string no_such(const period_name& name) {
  return "there is no voting period" + (name.number ? " " + std::to_string(*name.number) : std::string{})
         + (name.year ? " in the year " + std::to_string(*name.year) : " in this year");
}

period_advanced next_period(const calendar& so_far, const electorate& who, timestamp now) {
  period_advanced change;
  auto& opened = change.opened;
  opened.live_profiles = who.live_profiles;
  opened.active_projects = who.active_projects;
  opened.starts_at = now;
  opened.year = year_of(now);
  opened.number = 1;
  opened.id = period_id{1};
  if (!so_far.periods.empty()) {
    const auto& last = so_far.current();
    change.closes = last.id;
    opened.id = period_id{last.id.value + 1};
    // A clock that was set back must not reorder periods.
    opened.starts_at = std::max(now, last.starts_at);
    opened.year = std::max(opened.year, last.year);
    opened.number = opened.year == last.year ? last.number + 1 : 1;
  }
  opened.ends_at = next_month(opened.starts_at);
  return change;
}

ending ending_of(const voting_period& open, timestamp now) {
  if (now < open.ends_at)
    return ending::later;
  return now - open.ends_at > ending_late_max ? ending::too_late : ending::now;
}

void apply(calendar& to, const period_advanced& change) {
  assert(change.opened.id.value == static_cast<std::int32_t>(to.periods.size()) + 1);
  if (!to.periods.empty())
    to.periods.back().closed_at = change.opened.starts_at;
  to.periods.push_back(change.opened);
}

} // namespace credence::period
