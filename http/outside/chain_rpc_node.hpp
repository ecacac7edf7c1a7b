#pragma once

#include "actors/chain/chain_actor.hpp"
#include "actors/chain/chain_node.hpp"
#include "config/settings.hpp"
#include "http/outside/chain_rpc.hpp"
#include "http/outside/client.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace credence::http {

/// A node by its JSON-RPC URL. A batch that it does not answer whole is asked again in smaller ones. Belongs to one
/// thread.
class chain_rpc_node final : public chain::chain_node {
public:
  /// `given_up`: once true, what is under way ends within a second.
  chain_rpc_node(std::string url, std::chrono::milliseconds timeout, const std::atomic<bool>& given_up);

  std::uint64_t chain_id() override;
  chain::chain_heads heads(chain::block_number number) override;
  std::vector<chain::block_header> headers(std::span<const chain::block_number> of) override;
  chain::range_logs logs_in(const chain::block_range& blocks, std::span<const address> contracts) override;
  std::vector<chain::chain_log> logs_of(const digest32& block, std::span<const address> contracts) override;
  chain::range_logs logs_by_receipts(chain::block_number block, std::span<const address> contracts) override;
  chain::node_transaction transaction(const digest32& tx) override;
  chain::calls_answered run_calls(chain::block_number block, bool there,
                                  std::span<const chain::contract_call> calls) override;

private:
  static constexpr std::size_t all_of_them = ~std::size_t{0};
  /// A value for each request, or throws. Only the first `firm` requests have to bring one: an error in answer to
  /// another counts as nothing.
  std::vector<rpc_value> ask(std::span<const rpc_request> requests, std::size_t firm = all_of_them);
  void ask_once(std::span<const rpc_request> requests, std::size_t firm, std::vector<rpc_value>& to);
  chain::call_answer run_alone(const ask_call& call);
  void ask_halves(std::span<const rpc_request> requests, std::size_t firm, std::vector<rpc_value>& to);
  void ask_refused(std::span<const rpc_request> requests, std::size_t firm, std::vector<rpc_value>& to);
  bool same_chain_now();
  std::size_t batch_max() const;

  /// The receipts of a block, at once or, where that is too much, one after the other.
  std::vector<chain::tx_receipt> receipts_of(chain::block_number block);

  std::string url_;
  client asking_;
  std::uint64_t last_id_ = 0;
  std::optional<std::uint64_t> chain_; // its number, as the node told it last
  std::size_t batch_max_ = all_of_them;
  steady_time batch_max_until_{};
};

/// How the settings want a chain to be followed.
chain::follow_settings follow_settings_of(const settings::chain& with);
/// The URLs of a chain's endpoints; they may hold keys.
std::vector<std::string> endpoint_urls(const settings::chain& with);
/// The contracts that settings name; what is no `name=0x…` is left out.
std::map<address, chain::contract_kind> contracts_of(const settings::chain& with);

/// A node for each endpoint.
chain::node_list chain_nodes(const settings::chain& with, const std::atomic<bool>& given_up);

/// What is wrong with the settings; empty when they are good, or no chain is followed.
std::vector<std::string> chain_mistakes(const settings::chain& with);

} // namespace credence::http
