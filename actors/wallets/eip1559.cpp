#include "actors/wallets/eip1559.hpp"

#include "actors/chain/abi.hpp"
#include "actors/domain/hash.hpp"

#include <algorithm>
#include <span>

namespace credence::wallets {

namespace rlp {

namespace {

constexpr unsigned string_base = 0x80, list_base = 0xC0;
constexpr std::size_t short_most = 55;

unsigned byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

/// Big-endian, without zeros in front.
std::string shortest(const uint256& number) {
  const auto word = chain::word_of(number);
  const auto* first = std::find_if(word.begin(), word.end(), [](std::byte each) { return each != std::byte{}; });
  return {reinterpret_cast<const char*>(first), static_cast<std::size_t>(word.end() - first)};
}

void append_head(std::string& to, unsigned base, std::size_t length) {
  if (length <= short_most) {
    to += static_cast<char>(base + length);
    return;
  }
  const auto digits = shortest(uint256{length});
  to += static_cast<char>(base + short_most + digits.size());
  to += digits;
}

} // namespace

void append_bytes(std::string& to, std::string_view bytes) {
  if (bytes.size() != 1 || byte_at(bytes, 0) >= string_base)
    append_head(to, string_base, bytes.size());
  to += bytes;
}

void append_number(std::string& to, const uint256& number) { append_bytes(to, shortest(number)); }

void append_list(std::string& to, std::string_view items) {
  append_head(to, list_base, items.size());
  to += items;
}

} // namespace rlp

namespace {

constexpr char type_2 = 0x02;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The nine fields that are signed.
std::string fields_of(const unsigned_transaction& transaction) {
  std::string out;
  rlp::append_number(out, uint256{transaction.chain_id});
  rlp::append_number(out, uint256{transaction.nonce});
  rlp::append_number(out, transaction.max_priority_fee);
  rlp::append_number(out, transaction.max_fee);
  rlp::append_number(out, uint256{transaction.gas_limit});
  rlp::append_bytes(out, transaction.to ? text_of(transaction.to->bytes) : std::string_view{});
  rlp::append_number(out, transaction.value);
  rlp::append_bytes(out, transaction.data);
  rlp::append_list(out, {}); // access list
  return out;
}

std::string typed(std::string_view fields) {
  std::string out{type_2};
  rlp::append_list(out, fields);
  return out;
}

} // namespace

std::string signing_bytes(const unsigned_transaction& transaction) { return typed(fields_of(transaction)); }

digest32 signing_hash(const unsigned_transaction& transaction) { return keccak256(signing_bytes(transaction)); }

std::string signed_bytes(const unsigned_transaction& transaction, const key_signature& by) {
  auto fields = fields_of(transaction);
  rlp::append_number(fields, uint256{by.y_parity});
  rlp::append_number(fields, chain::unsigned_of(by.r));
  rlp::append_number(fields, chain::unsigned_of(by.s));
  return typed(fields);
}

digest32 transaction_hash(std::string_view bytes) { return keccak256(bytes); }

wei cost_at_most(const unsigned_transaction& transaction) {
  return transaction.max_fee * transaction.gas_limit + transaction.value;
}

} // namespace credence::wallets
