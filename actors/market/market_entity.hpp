#pragma once

#include "actors/kernel/children.hpp"
#include "actors/market/market_actor.hpp"

namespace credence::market {

/// One market, as its router sees it.
using market_entity = market_handle::extend<caf::reacts_to<write_outcome>, caf::reacts_to<passivate>>;

/// Who hears that a market cannot go on.
using market_supervisor = caf::typed_actor<caf::reacts_to<wants_out<profile_id>>>;

/// Spawns the actor of one market; it loads itself from the store.
market_entity spawn_market(caf::actor_system& sys, profile_id id, const std::shared_ptr<const context>& with,
                           market_supervisor router);

} // namespace credence::market
