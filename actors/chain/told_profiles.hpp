#pragma once

#include "actors/chain/chain_types.hpp"
#include "actors/context.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/may_be_behind.hpp"
#include "actors/kernel/port.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/profile_actor.hpp"

#include <set>

namespace credence::chain {

/// Tells each of these profiles that its row has changed. Returns what the people actor is to be told; blocks up to `settled` have
/// been settled.
inline people::look_again told_profiles(const context& with, const std::set<profile_id>& whom, block_number settled = 0) {
  for (const auto each : whom)
    caf::anon_send(with.others->profiles.to(), may_be_behind<profile_id>{each});
  return {{whom.begin(), whom.end()}, static_cast<std::int64_t>(settled)};
}

} // namespace credence::chain
