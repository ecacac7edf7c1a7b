#pragma once

#include "actors/kernel/actor.hpp"
#include "actors/wallets/node_endpoints.hpp"
#include "actors/wallets/wallet_keys.hpp"

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

} // namespace credence::wallets
