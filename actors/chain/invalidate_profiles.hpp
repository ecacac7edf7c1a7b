#pragma once

#include "actors/chain/apply.hpp"
#include "actors/chain/follow_bounds.hpp"
#include "actors/context.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/mark_stale.hpp"
#include "actors/kernel/port.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/credential_slot.hpp"
#include "actors/profile/profile_actor.hpp"

#include <memory>
#include <set>
#include <vector>

namespace credence::chain {

/// Tells each of these profiles that its row has changed; whoever holds a credential of theirs asks them before it is
/// accepted again. Returns what the people actor is to be told; blocks up to `settled` have been settled.
inline people::invalidate invalidate_profiles(const context& with, const std::set<profile_id>& whom,
                                              block_number settled = 0) {
  for (const auto each : whom) {
    send(with.others->profiles.to(), mark_stale<profile_id>{each});
    with.credentials->doubt(each);
  }
  return {{whom.begin(), whom.end()}, static_cast<std::int64_t>(settled)};
}

/// Has those who remember the people and projects of a step look again, then calls `done`, whatever they answer.
template <class Done>
void invalidate_caches(actor& self, const std::shared_ptr<const context>& with, const step_effects& effects,
                       Done done) {
  auto tell_board = [&self, with, projects = std::vector<project_id>(effects.projects.begin(), effects.projects.end()),
                     settled = effects.settled, done] {
    if (projects.empty() && !settled)
      return done();
    self.request(with->others->listings.to(), telling_timeout, listing::invalidate{projects, number_of(settled)})
      .then([done](const listing::looked_again&) { done(); }, [done](failure) { done(); });
  };
  if (effects.profiles.empty() && !effects.settled)
    return tell_board();
  self
    .request(with->others->people.to(), telling_timeout, invalidate_profiles(*with, effects.profiles, effects.settled))
    .then([tell_board](const people::looked_again&) { tell_board(); }, [tell_board](failure) { tell_board(); });
}

} // namespace credence::chain
