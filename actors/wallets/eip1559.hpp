#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/wei.hpp"
#include "actors/wallets/wallet_keys.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Recursive Length Prefix (yellow paper, appendix B): how Ethereum writes byte strings and lists of them.
namespace credence::wallets {

namespace rlp {

void append_bytes(std::string& to, std::string_view bytes);
/// A number is its big-endian bytes without zeros in front; 0 is the empty string.
void append_number(std::string& to, const uint256& number);
/// A list; `items` are its items, written one behind the other.
void append_list(std::string& to, std::string_view items);

} // namespace rlp

// Transactions of type 2 (EIP-2718, EIP-1559), with an empty access list.

/// A transaction before it is signed.
struct unsigned_transaction {
  std::uint64_t chain_id = 0;
  std::uint64_t nonce = 0;
  wei max_priority_fee; // per gas, for the block's producer
  wei max_fee;          // per gas, all together
  std::uint64_t gas_limit = 0;
  std::optional<address> to; // none: creates a contract
  wei value;
  std::string data;
  friend bool operator==(const unsigned_transaction&, const unsigned_transaction&) = default;
};

/// What is hashed and signed: 0x02 and the list of the nine fields.
std::string signing_bytes(const unsigned_transaction& transaction);
/// The Keccak-256 of that.
digest32 signing_hash(const unsigned_transaction& transaction);

/// What a node takes (`eth_sendRawTransaction`): 0x02 and the list of the twelve fields.
std::string signed_bytes(const unsigned_transaction& transaction, const key_signature& by);
/// The name of a signed transaction: the Keccak-256 of `signed_bytes`.
digest32 transaction_hash(std::string_view signed_bytes);

/// What it costs at most: the gas limit times the highest fee, plus the value. Throws std::overflow_error or
/// std::range_error beyond 2^256 - 1.
wei cost_at_most(const unsigned_transaction& transaction);

} // namespace credence::wallets
