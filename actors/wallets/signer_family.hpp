#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/kernel/ask.hpp"
#include "actors/kernel/entity_router.hpp"
#include "actors/kernel/write_context.hpp"
#include "actors/wallets/signer_actor.hpp"
#include "actors/wallets/signing_bounds.hpp"
#include "actors/wallets/wallet_node.hpp"
#include "actors/wallets/wallet_types.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  static auto whose(const auto& question) -> decltype(question.profile) { return question.profile; }
  using handle = wallet_handle;
  using questions = wallet_handle;
  using to_one = types<look_after, gas_wanted, gas_answered, try_again, open_funding>;
  using to_router = types<gas_wanted, gas_answered, funding_opened, look_due>;
};

entity_handle<signers> spawn_signer(caf::actor_system& sys, birth<signers, signing_context> born);

/// A transaction that is to be signed, and whom to tell.
struct signing_order {
  transaction_plan plan; // without its gas limit, until a node has told
  transaction_cost cost;
  nonce_counts told; // of the account, by a node
  std::function<void(outcome<transaction_receipt>)> answer = [](const outcome<transaction_receipt>&) {};
  std::function<void(failure)> fail = [](failure) {};
  /// Says why a transaction of this cost may not be signed; whoever waits is told.
  std::function<std::optional<refusal>(const transaction_cost&)> object = [](const transaction_cost&) {
    return std::nullopt;
  };
  steady_time deadline{};
  std::shared_ptr<const write_context> context;
  bool by_owner = false; // counts against the bounds of the day
  bool dry_run = false;
  bool funded = false;         // gas for it was sent
  refusal lack;                // what it is refused with when nobody sends gas
  std::int64_t replaces = 0;   // another one, of the same number
  std::uint64_t nonce = 0;     // of that one, or one that was left out
  bool fixed = false;          // it takes that very number
  transaction_receipt receipt; // once it is stored
};
using order_ptr = std::shared_ptr<signing_order>;

} // namespace credence::wallets
