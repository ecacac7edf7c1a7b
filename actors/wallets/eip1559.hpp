#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/wei.hpp"
#include "actors/wallets/wallet_keys.hpp"

#include <cstddef>
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

/// Reads items one after the other. It takes the one canonical form only: the shortest length, single bytes below 0x80
/// as themselves, numbers without zeros in front. After the first mistake `good()` is false and everything read is
/// empty or 0.
class reader {
public:
  /// The text must outlive the reader.
  explicit reader(std::string_view items) : rest_(items) {}

  std::string_view next_bytes();
  uint256 next_number();
  /// The same, where it must fit into 64 bits.
  std::uint64_t next_small_number();
  /// A reader of the items of the next list. Its mistakes are its own.
  reader next_list();

  bool good() const noexcept { return good_; }
  bool at_end() const noexcept { return rest_.empty(); }
  void fail() noexcept {
    good_ = false;
    rest_ = {};
  }

private:
  std::string_view next(bool list);
  std::optional<std::size_t> long_length(std::size_t bytes);

  std::string_view rest_;
  bool good_ = true;
};

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

struct signed_transaction {
  unsigned_transaction of;
  key_signature by;
};
/// Reads what `signed_bytes` writes, to the byte; nothing for all else, such as a transaction with an access list, a
/// zero or high s, or bytes behind.
std::optional<signed_transaction> parse_transaction(std::string_view signed_bytes);

/// What it costs at most: the gas limit times the highest fee, plus the value. Throws std::overflow_error or
/// std::range_error beyond 2^256 - 1.
wei cost_at_most(const unsigned_transaction& transaction);

} // namespace credence::wallets
