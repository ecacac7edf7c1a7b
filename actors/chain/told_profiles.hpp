#pragma once

#include "actors/context.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/may_be_behind.hpp"
#include "actors/kernel/port.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/profile_actor.hpp"

#include <set>

namespace credence::chain {

/// Tells each of these profiles that its row has changed. Returns what the people actor is to be told.
inline people::look_again told_profiles(const context& with, const std::set<profile_id>& whom) {
  for (const auto each : whom)
    caf::anon_send(with.others->profiles.to(), may_be_behind<profile_id>{each});
  return {{whom.begin(), whom.end()}};
}

} // namespace credence::chain
