#include "actors/wallets/eip1559.hpp"

#include "actors/chain/abi.hpp"
#include "actors/domain/hash.hpp"
#include "actors/wallets/rlp.hpp"

#include <algorithm>
#include <span>

namespace credence::wallets {

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

/// A number of a signature, as the 32 bytes that it is kept in.
std::array<std::byte, 32> next_scalar(rlp::reader& in) { return chain::word_of(in.next_number()); }

/// Half the order of secp256k1 (SEC 2, 2.4.1; EIP-2), rounded down.
constexpr uint256 half_order{
  limbs256{0xDFE92F46681B20A0U, 0x5D576E7357A4501DU, 0xFFFFFFFFFFFFFFFFU, 0x7FFFFFFFFFFFFFFFU}};
constexpr uint256 order{limbs256{0xBFD25E8CD0364141U, 0xBAAEDCE6AF48A03BU, 0xFFFFFFFFFFFFFFFEU, 0xFFFFFFFFFFFFFFFFU}};

bool is_signature(const key_signature& by) {
  const auto r = chain::unsigned_of(by.r), s = chain::unsigned_of(by.s);
  return r != 0 && r < order && s != 0 && s <= half_order;
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

std::optional<signed_transaction> parse_transaction(std::string_view bytes) {
  if (bytes.empty() || bytes.front() != type_2)
    return std::nullopt;
  rlp::reader whole{bytes.substr(1)};
  auto in = whole.next_list();
  signed_transaction out;
  auto& of = out.of;
  of.chain_id = in.next_small_number();
  of.nonce = in.next_small_number();
  of.max_priority_fee = in.next_number();
  of.max_fee = in.next_number();
  of.gas_limit = in.next_small_number();
  if (const auto to = in.next_bytes(); to.size() == address{}.bytes.size()) {
    of.to.emplace();
    std::transform(to.begin(), to.end(), of.to->bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  } else if (!to.empty())
    return std::nullopt;
  of.value = in.next_number();
  of.data = in.next_bytes();
  const auto access_list = in.next_list();
  const auto parity = in.next_small_number();
  out.by.y_parity = static_cast<std::uint8_t>(parity & 1);
  out.by.r = next_scalar(in);
  out.by.s = next_scalar(in);
  const bool read =
    whole.good() && whole.at_end() && in.good() && in.at_end() && access_list.good() && access_list.at_end();
  if (!read || parity > 1 || !is_signature(out.by))
    return std::nullopt;
  return out;
}

wei cost_at_most(const unsigned_transaction& transaction) {
  return transaction.max_fee * transaction.gas_limit + transaction.value;
}

} // namespace credence::wallets
