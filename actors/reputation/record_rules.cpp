#include "actors/reputation/record_rules.hpp"

#include "actors/people/people_index.hpp"
#include "config/limits.hpp"

namespace credence::reputation {

outcome<profile_row> live(const record_rows& rows, profile_id who) {
  const auto* found = rows.profile(who);
  if (!found || found->archived)
    return people::not_live(who);
  return *found;
}

refusal too_many_of(profile_id author) {
  return {refusal_code::too_many_records, "profile " + std::to_string(author.value) + " has made " + std::to_string(limits::records_a_day_max)
                                            + " reviews and vouches in the last 24 hours, the most there may be; try again later"};
}

} // namespace credence::reputation
