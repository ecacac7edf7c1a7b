#pragma once

#include "actors/context.hpp"
#include "actors/funds/hold.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/market/market_storage.hpp"
#include "actors/market/market_types.hpp"

namespace credence::market {

/// A question for which money has been set aside; `money` is null where it needs none.
template <class Q>
struct funded {
  ask<Q> question;
  funds::hold_ptr money;
};
using funded_trade = funded<place_trade>;
using funded_opening = funded<open_market>;

/// The market of a profile (there or not), and the router of all markets.
using market_handle = actor_handle<get_market, get_quote, get_holders, set_market_frozen, funded_trade, funded_opening>;
struct market_door {
  using handle = market_handle;
};

/// Spawns the router of all markets.
market_handle spawn_markets(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

/// What stands in place of the router of markets where markets are followed: reads and quotes of the markets of the
/// chain, from committed rows. It refuses trades, new markets and freezes with `followed_from_chain`.
market_handle spawn_mirrored_markets(caf::actor_system& sys, std::shared_ptr<const context> with,
                                     port<storage> storage);

} // namespace credence::market
