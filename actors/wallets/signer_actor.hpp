#pragma once

#include "actors/kernel/ask.hpp"
#include "actors/kernel/door.hpp"
#include "actors/wallets/wallet_types.hpp"

#include <caf/typed_actor.hpp>

namespace credence::wallets {

/// The router of all managed wallets.
using wallet_handle = caf::typed_actor<caf::reacts_to<ask<send_transaction>>, caf::reacts_to<ask<get_wallet>>, caf::reacts_to<ask<list_transactions>>,
                                       caf::reacts_to<ask<get_transaction>>, caf::reacts_to<ask<export_wallet>>>;
struct wallet_door : door<wallet_handle> {};

} // namespace credence::wallets
