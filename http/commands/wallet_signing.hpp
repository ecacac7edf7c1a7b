#pragma once

#include "actors/wallets/signer_actor.hpp"
#include "config/settings.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace credence::commands {

/// What managed wallets may sign, as the settings say.
wallets::signing_bounds signing_bounds_of(const settings::all& with);

/// What is wrong with the settings of signing; empty when they are good.
std::vector<std::string> signing_mistakes(const settings::all& with);

/// Where wallets and their transactions are stored.
struct wallet_storages {
  port<wallets::storage> wallets;
  port<wallets::outbox_storage> outbox;
};

/// Spawns the signers of managed wallets with threads of their own. `given_up`: once true, what is under way at a node
/// ends.
wallets::wallet_handle spawn_wallets(caf::actor_system& sys, const context& shared, const wallet_storages& stored,
                                     const settings::all& with, const std::shared_ptr<wallets::wallet_keys>& keys,
                                     const wallets::signing_switch& may_sign, const std::atomic<bool>& given_up);

} // namespace credence::commands
