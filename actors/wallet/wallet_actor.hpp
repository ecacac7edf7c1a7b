#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/may_be_behind.hpp"
#include "actors/kernel/port.hpp"
#include "actors/market/market_types.hpp"
#include "actors/wallet/hold.hpp"
#include "actors/wallet/wallet_storage.hpp"

namespace credence::wallet {

/// A committed trade on its way to the trader's wallet, which counts it and answers the
/// trader's client.
struct trade_landed {
  ask<market::place_trade> asked;
  market::trade_receipt receipt; // the balance is missing
  hold_ptr money;                // settled; of nothing for a sale
  wei donation;                  // that the trader gets back as the market's owner
  global_seq as_of = 0;
};
/// The same for a market that was opened.
struct opening_landed {
  ask<market::open_market> asked;
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

/// What a wallet is asked and told. Trades come here first: the money is set aside, then the
/// market decides.
using wallet_questions =
  caf::typed_actor<caf::reacts_to<ask<get_wallet>>, caf::reacts_to<ask<move_funds>>, caf::reacts_to<ask<get_transfer>>,
                   caf::reacts_to<ask<market::place_trade>>, caf::reacts_to<ask<market::open_market>>, caf::reacts_to<ask<market::get_trade>>,
                   caf::reacts_to<trade_landed>, caf::reacts_to<opening_landed>, caf::reacts_to<donation_landed>>;

/// The router of all wallets.
using wallet_handle = wallet_questions::extend<caf::reacts_to<may_be_behind<profile_id>>>;
struct wallet_door : door<wallet_handle> {};

/// Spawns the router of all wallets.
wallet_handle spawn_wallets(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::wallet

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::wallet::trade_landed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::wallet::opening_landed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::wallet::donation_landed)
