#pragma once

#include "actors/kernel/children.hpp"
#include "actors/profile/profile_actor.hpp"

namespace credence::profile {

/// The actor of one profile, as its router sees it.
using profile_entity = profile_questions::extend<caf::reacts_to<vote_landed>, caf::reacts_to<write_outcome>, caf::reacts_to<passivate>>;

/// Who hears that a profile cannot go on.
using profile_supervisor = caf::typed_actor<caf::reacts_to<wants_out<profile_id>>>;

/// Spawns the actor of one profile; it loads itself from the store. `receivers` are those of
/// its tips under way.
profile_entity spawn_profile(caf::actor_system& sys, profile_id id, const std::shared_ptr<const context>& with,
                             profile_supervisor router, bystanders receivers);

} // namespace credence::profile
