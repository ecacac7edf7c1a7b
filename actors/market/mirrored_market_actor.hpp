#pragma once

#include "actors/context.hpp"
#include "actors/market/market_actor.hpp"

namespace credence::market {

/// What stands in place of the router of markets where markets are followed: reads and quotes of the markets of the
/// chain, from committed rows. It refuses trades, new markets and freezes with `followed_from_chain`.
market_handle spawn_mirrored_markets(caf::actor_system& sys, std::shared_ptr<const context> with,
                                     port<storage> storage);

} // namespace credence::market
