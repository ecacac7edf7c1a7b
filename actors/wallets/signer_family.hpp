#pragma once

#include "actors/kernel/entity_router.hpp"
#include "actors/wallets/signer_actor.hpp"

#include <string>

/// Between signers and their router.
namespace credence::wallets {

/// What the chain's follower has stored of a wallet's open transactions: time to look after them.
struct look_after {
  followed_outbox followed;
};
/// A wallet lacks gas; the funding account is asked for it.
struct gas_wanted {
  profile_id whose;
  address at;
  wei amount;
};
struct gas_answered {
  profile_id whose;
  bool granted = false; // the transaction that brings it is on its way
  std::string why;      // it is not
};
/// Whoever waits for gas tries again.
struct try_again {};
/// The funding account makes its wallet, if it has none.
struct open_funding {};
/// It has one.
struct funding_opened {};
/// To the router: time to see what the follower has stored.
struct look_due {};

/// The family of signers, each of one profile's wallet.
struct signers {
  static constexpr auto kind = ops::actor_kind::wallet;
  using storage = outbox_storage;
  using id = profile_id;
  using handle = wallet_handle;
  using questions = wallet_handle;
  using to_one = types<look_after, gas_wanted, gas_answered, try_again, open_funding>;
  using to_router = types<gas_wanted, gas_answered, funding_opened, look_due>;
};

entity_handle<signers> spawn_signer(caf::actor_system& sys, birth<signers, signing_context> born);

} // namespace credence::wallets
