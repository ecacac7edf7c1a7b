#pragma once

#include "actors/kernel/context.hpp"
#include "actors/project/project_types.hpp"
#include "actors/store.hpp"

namespace credence::profile {

/// A committed vote on its way to the voter: the profile takes it into its
/// balance and answers the one who cast it.
struct vote_landed {
  ask<project::cast_vote> asked;
  own_vote vote;
  global_seq as_of = 0;
};

/// A profile, and the router of all profiles.
using profile_handle = caf::typed_actor<caf::reacts_to<ask<get_balance>>,
                                        caf::reacts_to<ask<get_own_votes>>,
                                        caf::reacts_to<vote_landed>>;

/// Spawns the router of all profiles.
profile_handle spawn_profile_router(caf::actor_system& sys, std::shared_ptr<const context> with);

} // namespace credence::profile

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::ask<credence::profile::get_balance>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::ask<credence::profile::get_own_votes>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::vote_landed)
