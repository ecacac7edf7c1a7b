#include "actors/period/period_types.hpp"

#include <algorithm>

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

} // namespace credence::period
