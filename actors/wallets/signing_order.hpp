#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/kernel/ask.hpp"
#include "actors/kernel/write_context.hpp"
#include "actors/wallets/fees.hpp"
#include "actors/wallets/signer_types.hpp"
#include "actors/wallets/wallet_node.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace credence::wallets {

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
