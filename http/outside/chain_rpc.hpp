#pragma once

#include "actors/chain/chain_node.hpp"
#include "actors/chain/chain_types.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Requests to an Ethereum node and its answers, as text: JSON-RPC 2.0 with the methods of
/// https://ethereum.github.io/execution-apis. An answer is a stranger's: whatever it holds is a value, an error or a
/// flaw.
namespace credence::http {

// -- errors: most have no standard code, so the message text is searched -------------------------

/// An error object of JSON-RPC 2.0, section 5.1.
struct rpc_error {
  std::int64_t code = 0;
  std::string message; // at most 1,000 bytes of it
  std::string data;    // bytes that a contract returned when it refused a call; at most 4,096 of them
  friend bool operator==(const rpc_error&, const rpc_error&) = default;
};

/// What to do about an error.
enum class rpc_trouble : std::uint8_t {
  range_too_large, // ask for fewer blocks
  rate_limited,    // ask later
  unknown_block,   // the endpoint is behind: ask another
  not_supported,   // the endpoint does not know the method
  reverted,        // the contract refused a call
  other,           // ask again, then another
};

/// Reads the code and the text of an error in answer to `eth_getLogs`.
rpc_trouble trouble_with_logs(const rpc_error& error);
/// The same for every other method, where no range can be too large.
rpc_trouble trouble_of(const rpc_error& error);

/// The range that an error proposes instead, such as `[0x1a, 0x2b]` or `1000-2000`; it may be any.
std::optional<chain::block_range> suggested_range(std::string_view message);

/// Blocks that nodes know by name.
enum class block_tag : std::uint8_t { latest, safe, finalized, pending };

// -- what is asked -------------------------------------------------------------------------------

/// `eth_chainId`; answered by a number.
struct ask_chain_id {};
/// `eth_getBlockByNumber`, without its transactions; answered by a header, or nothing where the node does not have the
/// block.
struct ask_block {
  std::variant<chain::block_number, block_tag> which;
};
/// `eth_getLogs` for blocks of the main chain. A node that is behind answers with fewer logs, not with an error.
struct ask_range_logs {
  chain::block_range blocks;
  std::vector<address> contracts;
};
/// `eth_getLogs` for one block by its hash; a node that does not have it answers with an error (EIP-234).
struct ask_block_logs {
  digest32 block{};
  std::vector<address> contracts;
};
/// `eth_getTransactionReceipt`; answered by a receipt, or nothing while the transaction is in no block.
struct ask_receipt {
  digest32 tx{};
};
/// `eth_getBlockReceipts`; answered by all receipts of a block, or nothing where the node does not have the block.
struct ask_block_receipts {
  chain::block_number block = 0;
};
/// `eth_getBlockByNumber`, without its transactions; answered by their hashes, or nothing where the node does not have
/// the block.
struct ask_block_transactions {
  chain::block_number block = 0;
};
/// `eth_getTransactionByHash`; answered by where the transaction is, or nothing where the node does not know it.
struct ask_transaction {
  digest32 tx{};
};
/// `eth_call`; answered by bytes.
struct ask_call {
  address contract;
  std::string data; // bytes, such as those of chain::call_data
  std::variant<chain::block_number, block_tag> at = block_tag::latest;
};
/// `eth_getTransactionCount`; answered by a number.
struct ask_nonce {
  address of;
  block_tag at = block_tag::latest; // `pending`: with those that wait at the node
};
/// `eth_getBalance` of now; answered by an amount.
struct ask_balance {
  address of;
};
/// `eth_feeHistory` of the newest five blocks, with the median of what their transactions paid on top; answered by
/// `fee_history`.
struct ask_fee_history {};
/// `eth_estimateGas` on the newest state; answered by a number.
struct ask_gas {
  address from, to;
  wei value;
  std::string data; // bytes
};
/// `eth_sendRawTransaction`; answered by the transaction's hash.
struct ask_send {
  std::string signed_bytes;
};
using rpc_request = std::variant<ask_chain_id, ask_block, ask_range_logs, ask_block_logs, ask_receipt,
                                 ask_block_receipts, ask_transaction, ask_call, ask_block_transactions, ask_nonce,
                                 ask_balance, ask_fee_history, ask_gas, ask_send>;

/// The body of a POST: one object for one request, an array for several. They have the ids `first_id`, `first_id` + 1,
/// …, which stay below 2^53.
std::string rpc_body(std::span<const rpc_request> requests, std::uint64_t first_id);

// -- what is answered ----------------------------------------------------------------------------

/// `null`: there is no such thing.
struct rpc_nothing {
  friend bool operator==(const rpc_nothing&, const rpc_nothing&) = default;
};
struct known_transaction {
  std::optional<chain::block_number> block; // none: it waits
  friend bool operator==(const known_transaction&, const known_transaction&) = default;
};
/// Fees for a unit of gas, in wei.
struct fee_history {
  wei base_fee; // of the next block
  wei priority; // the median of the newest blocks with transactions; 0: they have none
  friend bool operator==(const fee_history&, const fee_history&) = default;
};
/// As each request says.
using rpc_value = std::variant<rpc_nothing, std::uint64_t, chain::block_header, std::vector<chain::chain_log>,
                               chain::tx_receipt, std::vector<chain::tx_receipt>, known_transaction,
                               std::vector<std::byte>, std::vector<digest32>, wei, fee_history, digest32>;
/// The batch holds no answer to this request; send it again alone.
struct rpc_missing {};
/// What makes no sense in an answer; the endpoint's failure.
struct rpc_flaw {
  std::string why;
};
using rpc_answer = std::variant<rpc_value, rpc_error, rpc_missing, rpc_flaw>;

/// Answers in the order of the requests; or one error for a whole batch, which is to be halved; or a body that is no
/// answer at all.
using rpc_answers = std::variant<std::vector<rpc_answer>, rpc_error, rpc_flaw>;

/// Bytes of a body that are read at most.
inline constexpr std::size_t rpc_body_bytes_max = 32 * 1024 * 1024;

/// Reads the answer to `rpc_body(requests, first_id)`. If an answer has an unknown id, or two have the same one, the
/// whole body is a flaw.
rpc_answers read_rpc(std::string_view body, std::span<const rpc_request> requests, std::uint64_t first_id);

} // namespace credence::http
