#pragma once

#include "actors/wallets/wallet_node.hpp"
#include "config/settings.hpp"
#include "http/outside/chain_rpc.hpp"
#include "http/outside/client.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace credence::http {

/// What an error in answer to `eth_sendRawTransaction` means. Most errors have no standard code, so the message is
/// searched; one that is not known is `unclear`, as some nodes answer with an error after they took the transaction.
wallets::send_result result_of(const rpc_error& error);

/// The writing half of a node, by its JSON-RPC URL. Belongs to one thread.
class wallet_rpc_node final : public wallets::wallet_node {
public:
  /// `given_up`: once true, what is under way ends within a second.
  wallet_rpc_node(std::string url, std::chrono::milliseconds timeout, const std::atomic<bool>& given_up);

  std::uint64_t chain_id() override;
  wallets::nonce_counts nonces(const address& of) override;
  wei balance(const address& of) override;
  wallets::node_quote quote(const wallets::planned_call& call) override;
  wallets::send_answer send(const std::string& signed_bytes) noexcept override;
  bool knows(const digest32& transaction) override;
  wallets::account_view look(const address& of, std::span<const digest32> transactions) override;

private:
  /// An answer for each request, values or errors of the node; throws `node_failure`. A batch that the node does not
  /// take is asked one by one.
  std::vector<rpc_answer> ask(std::span<const rpc_request> requests);
  std::vector<rpc_answer> post(std::span<const rpc_request> requests);

  std::string url_;
  client asking_;
  std::uint64_t last_id_ = 0;
};

/// A node for each endpoint of the chain.
std::vector<std::unique_ptr<wallets::wallet_node>>
wallet_nodes_of(const settings::chain& with, std::chrono::milliseconds timeout, const std::atomic<bool>& given_up);

} // namespace credence::http
