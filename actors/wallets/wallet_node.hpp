#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/wei.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// What managed wallets ask a node of their chain.
namespace credence::wallets {

/// A node brought no answer, or none that makes sense. The text names no URL.
class node_failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A node is well, and answered an error about what it was asked.
class node_refusal : public node_failure {
public:
  using node_failure::node_failure;
};

/// A call as it would be sent.
struct planned_call {
  address from, to;
  wei value;
  std::string data;
};

/// How many transactions of an account there are: in blocks, and with those that wait at the node.
struct nonce_counts {
  std::uint64_t latest = 0, pending = 0;
  friend bool operator==(const nonce_counts&, const nonce_counts&) = default;
};

/// What a node says before a transaction is signed.
struct node_quote {
  nonce_counts nonces;
  wei balance;
  wei base_fee;          // of the next block, for a unit of gas
  wei priority_fee;      // what transactions of the newest blocks paid on top: the median
  std::uint64_t gas = 0; // that the call needs; 0: it does not succeed
  std::string revert;    // bytes that the contract returned when it refused the call
  std::string why;       // 0 gas: what the node said
};

/// How a node answers a signed transaction.
enum class send_result : std::uint8_t {
  taken,
  already_known,           // it has it
  nonce_too_low,           // another transaction of that number is in a block
  replacement_underpriced, // another one of that number waits, and pays nearly as much or more
  underpriced,             // it pays less than the node takes
  insufficient_funds,
  refused, // for another reason: no node will take it
  unclear, // no answer, or an error after which the node may have taken it
};
struct send_answer {
  send_result result = send_result::unclear;
  std::string why;       // of the node, bounded
  bool answered = false; // the node is well, whatever it says of the transaction
};

/// What a node knows of a transaction.
struct seen_transaction {
  bool known = false;
  std::optional<std::uint64_t> block; // that it is in
  bool succeeded = false;             // in its block; false: reverted
};
/// An account and some transactions, as a node sees them.
struct account_view {
  nonce_counts nonces;
  std::vector<seen_transaction> transactions; // in the order asked
};

/// The port to one node's writing half; http implements it, tests fake it. Everything blocks and throws `node_failure`,
/// so it is used on a thread of its own, always the same one. What comes back has been read, not checked.
class wallet_node {
public:
  virtual ~wallet_node() = default;
  /// The number of the chain.
  virtual std::uint64_t chain_id() = 0;
  virtual nonce_counts nonces(const address& of) = 0;
  virtual wei balance(const address& of) = 0;
  /// Throws `node_refusal` where the node cannot say what gas the call needs, but answers everything else.
  virtual node_quote quote(const planned_call& call) = 0;
  /// Hands a signed transaction over. Never throws: no answer is `unclear`.
  virtual send_answer send(const std::string& signed_bytes) noexcept = 0;
  /// Whether it has that transaction, waiting or in a block.
  virtual bool knows(const digest32& transaction) = 0;
  virtual account_view look(const address& of, std::span<const digest32> transactions) = 0;
};

} // namespace credence::wallets
