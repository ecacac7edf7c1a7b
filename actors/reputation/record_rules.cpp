#include "actors/reputation/record_rules.hpp"

#include "actors/people/people_index.hpp"

namespace credence::reputation {

outcome<profile_row> live(const record_rows& rows, profile_id who) {
  const auto* found = rows.profile(who);
  if (!found || found->archived)
    return people::not_live(who);
  return *found;
}

} // namespace credence::reputation
