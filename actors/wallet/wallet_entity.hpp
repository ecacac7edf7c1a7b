#pragma once

#include "actors/kernel/children.hpp"
#include "actors/wallet/wallet_actor.hpp"

namespace credence::wallet {

/// Nobody holds a certain hold any more, and what became of it was not told otherwise.
struct hold_over {
  wei amount;
  hold::fate what{};
};

/// The wallet of one profile, as its router sees it.
using wallet_entity = wallet_questions::extend<caf::reacts_to<hold_over>, caf::reacts_to<write_outcome>, caf::reacts_to<passivate>>;

/// Who hears that a wallet cannot go on.
using wallet_supervisor = caf::typed_actor<caf::reacts_to<wants_out<profile_id>>>;

/// Spawns the wallet of one profile; it loads itself from the store.
wallet_entity spawn_wallet(caf::actor_system& sys, profile_id id, const std::shared_ptr<const context>& with,
                           wallet_supervisor router);

} // namespace credence::wallet

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::wallet::hold_over)
