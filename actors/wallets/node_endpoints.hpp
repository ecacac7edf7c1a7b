#pragma once

#include "actors/domain/time.hpp"
#include "actors/wallets/wallet_node.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace credence::wallets {

/// Which endpoints of a chain can be asked, for all threads that ask them: where one of them found an endpoint away,
/// the others leave it alone, too, and one at a time tries it again.
class endpoint_health {
public:
  explicit endpoint_health(std::size_t count) : all_(count) {}
  std::size_t count() const noexcept { return all_.size(); }
  /// Whether it may be asked now. Of one that failed, who is told yes tries it for all.
  bool may_ask(std::size_t which, steady_time now);
  /// Whether it may be asked where no other one may: it has failed only just now.
  bool may_ask_at_need(std::size_t which);
  void succeeded(std::size_t which);
  /// It is left alone for 250 ms, and twice as long after each failure that follows, up to 16 s.
  void failed(std::size_t which, steady_time now);

private:
  struct endpoint {
    int failures = 0; // in a row
    steady_time not_before{};
  };
  std::mutex guard_;
  std::vector<endpoint> all_;
};

/// Nodes of one chain, those first that are preferred.
using wallet_nodes = std::vector<std::unique_ptr<wallet_node>>;

/// Asks several nodes of one chain as if they were one. Belongs to one thread; `endpoint_health` is shared by threads.
class node_endpoints {
public:
  /// `nodes` are as many as `health` knows, in the same order.
  node_endpoints(wallet_nodes nodes, std::shared_ptr<endpoint_health> health, std::uint64_t chain_id);

  /// Everything throws `node_failure` when no node answers.
  wei balance(const address& of);
  /// If the node's count of transactions is above `expected`, which is the wallet's own, all other nodes that are not
  /// paused are asked as well, and the lowest count is taken. So a single node can make a wallet skip numbers only
  /// while all others are paused.
  node_quote quote(const planned_call& call, std::uint64_t expected);
  /// Sends to one node after the other until one accepts it; `everywhere`: to all, as the first may not pass it on. The
  /// answer is a refusal only where all nodes that were asked refused it and none knows the transaction: a proxy may
  /// have sent it twice, and the second time is refused.
  send_answer send(const std::string& signed_bytes, bool everywhere = false);
  /// Counts above `lowest`, the number of the wallet's oldest open transaction, are checked likewise.
  account_view look(const address& of, std::span<const digest32> transactions, std::uint64_t lowest);

private:
  /// Whether one of these nodes knows it; nothing: one does not say, and none says that it does.
  std::optional<bool> known_by(std::span<const std::size_t> nodes, const digest32& transaction);
  /// Runs the question on the first node that answers it, and gives its number.
  std::size_t ask(const std::function<void(wallet_node&)>& question);
  /// The lowest counts of all nodes but one, and of `told`.
  nonce_counts lowest_of(const address& of, std::size_t by, nonce_counts told);
  void check_chain(std::size_t which);
  /// Calls `ask_it` for each that may be asked, in order, until one is true. Where none may be, for those that have
  /// failed twice in a row at most.
  void for_usable(const std::function<bool(std::size_t)>& ask_it);

  wallet_nodes nodes_;
  std::shared_ptr<endpoint_health> health_;
  std::uint64_t chain_id_;
  std::vector<bool> checked_; // they are of the chain
};

} // namespace credence::wallets
