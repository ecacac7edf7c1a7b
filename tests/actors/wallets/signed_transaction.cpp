#include "tests/actors/wallets/signed_transaction.hpp"

#include "actors/chain/abi.hpp"

#include <algorithm>

namespace credence::wallets {

namespace rlp {

namespace {

constexpr unsigned read_string_base = 0x80, read_list_base = 0xC0;
constexpr std::size_t read_short_most = 55;

unsigned read_byte(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

} // namespace

/// Takes the length behind the head, of so many bytes; nothing where it could be written shorter.
std::optional<std::size_t> reader::long_length(std::size_t bytes) {
  if (rest_.size() < bytes || read_byte(rest_, 0) == 0)
    return std::nullopt;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    length = length << 8 | read_byte(rest_, i);
  rest_.remove_prefix(bytes);
  return length > read_short_most ? std::optional<std::size_t>{length} : std::nullopt;
}

std::string_view reader::next(bool list) {
  if (rest_.empty()) {
    fail();
    return {};
  }
  const auto head = read_byte(rest_, 0);
  const auto base = list ? read_list_base : read_string_base;
  if (!list && head < read_string_base) {
    const auto out = rest_.substr(0, 1);
    rest_.remove_prefix(1);
    return out;
  }
  std::optional<std::size_t> length;
  if (head >= base && head < base + 64) {
    rest_.remove_prefix(1);
    length = head - base <= read_short_most ? head - base : long_length(head - base - read_short_most);
  }
  if (!length || *length > rest_.size() || (!list && *length == 1 && read_byte(rest_, 0) < read_string_base)) {
    fail();
    return {};
  }
  const auto out = rest_.substr(0, *length);
  rest_.remove_prefix(*length);
  return out;
}

std::string_view reader::next_bytes() { return next(false); }

uint256 reader::next_number() {
  const auto bytes = next(false);
  chain::word word{};
  if (bytes.size() > word.size() || (!bytes.empty() && read_byte(bytes, 0) == 0)) {
    fail();
    return {};
  }
  std::transform(bytes.begin(), bytes.end(), word.end() - static_cast<std::ptrdiff_t>(bytes.size()),
                 [](char c) { return static_cast<std::byte>(c); });
  return chain::unsigned_of(word);
}

std::uint64_t reader::next_small_number() {
  const auto number = chain::small_number(chain::word_of(next_number()), ~std::uint64_t{0});
  if (!number)
    fail();
  return number.value_or(0);
}

reader reader::next_list() {
  reader out{next(true)};
  if (!good_)
    out.fail();
  return out;
}

} // namespace rlp

namespace {

constexpr char read_type = 0x02;

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

std::optional<signed_transaction> parse_transaction(std::string_view bytes) {
  if (bytes.empty() || bytes.front() != read_type)
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

} // namespace credence::wallets
