#pragma once

#include "actors/context.hpp"
#include "actors/funds/funds_types.hpp"
#include "actors/funds/hold.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/mark_stale.hpp"
#include "actors/kernel/port.hpp"
#include "actors/market/market_types.hpp"

namespace credence::funds {

/// A committed trade on its way to the trader's funds actor, which counts it and answers the
/// trader's client.
struct trade_landed {
  ask<market::place_trade> question;
  market::trade_receipt receipt; // the balance is missing
  hold_ptr money;                // settled; of nothing for a sale
  wei donation;                  // that the trader gets back as the market's owner
  global_seq as_of = 0;
};
/// The same for a market that was opened.
struct opening_landed {
  ask<market::open_market> question;
  market::market_view opened;
  hold_ptr money; // settled
  global_seq as_of = 0;
};
/// Money that came to a market's owner by somebody else's trade.
struct donation_landed {
  profile_id owner;
  wei amount;
  global_seq as_of = 0;
};

/// What a funds actor is asked and told. Trades come here first: the money is set aside, then the
/// market decides.
using funds_questions = actor_handle<get_funds, move_funds, get_transfer, market::place_trade, market::open_market,
                                     market::get_trade, trade_landed, opening_landed, donation_landed>;

/// The router of all funds actors.
using funds_handle = extended<funds_questions, mark_stale<profile_id>>;
struct funds_door {
  using handle = funds_handle;
};

/// Spawns the router of all funds actors.
funds_handle spawn_funds(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::funds
