#pragma once

#include "actors/context.hpp"
#include "actors/kernel/actor.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/wallets/failure_reason.hpp"
#include "actors/wallets/node_endpoints.hpp"
#include "actors/wallets/signing_bounds.hpp"
#include "actors/wallets/wallet_keys.hpp"
#include "actors/wallets/wallet_storage.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace credence::wallets {

/// What may block: threads of their own do it for the signers.
struct blocking_work {
  using answer_type = struct work_done;
  /// Runs on one of these threads, with what belongs to that thread; what it throws is the answer's `why`.
  std::function<std::shared_ptr<void>(node_endpoints&, wallet_keys&)> run;
};
struct work_done {
  std::shared_ptr<void> result; // as `run` returned it; null: it failed
  std::string why;              // it failed; names no secret and no URL
};

/// Threads that work for all signers, each on one piece of work at a time. Who waits is served in turn; past its bound
/// everything fails at once.
using wallet_workers_handle = actor_handle<blocking_work>;

/// The tools of one thread.
struct worker_tools {
  std::shared_ptr<node_endpoints> nodes;
  std::shared_ptr<wallet_keys> keys;
};
/// One thread for each of `tools`; ends with its threads.
wallet_workers_handle spawn_wallet_workers(caf::actor_system& sys, std::vector<worker_tools> tools,
                                           std::size_t waiting_max);

/// What every signer is born with.
struct signing_context : context {
  signing_bounds bounds;
  revert_reader reverts;
  const signing_switch* may_sign = nullptr;
  wallet_workers_handle nodes, keys; // threads that ask nodes, and threads that sign
  wallet_workers_handle balances;    // threads that ask nodes for what somebody only wants to see (balances, dry runs):
                                     // signatures wait for none
  wallet_workers_handle
    exports;             // one that writes keys down for their owners, which takes long: signatures wait for none
  port<storage> wallets; // that are made
  std::chrono::milliseconds look_every{1000}; // at what the chain's follower has stored
};

/// What managed wallets are asked.
using wallet_handle =
  actor_handle<send_transaction, get_wallet, list_transactions, get_transaction, find_action, export_wallet>;
/// The router of all signers; nobody where no chain is followed or no master key is configured.
struct wallet_door {
  using handle = wallet_handle;
};

/// Spawns the router of the signers, of which each managed wallet has one. Wallets with open transactions are loaded at
/// once.
wallet_handle spawn_signers(caf::actor_system& sys, std::shared_ptr<const signing_context> with,
                            port<outbox_storage> storage);

} // namespace credence::wallets
