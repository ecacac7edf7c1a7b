#include "actors/wallets/rlp.hpp"

#include "actors/chain/abi.hpp"

#include <algorithm>

namespace credence::wallets::rlp {

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

/// Takes the length behind the head, of so many bytes; nothing where it could be written shorter.
std::optional<std::size_t> reader::long_length(std::size_t bytes) {
  if (rest_.size() < bytes || byte_at(rest_, 0) == 0)
    return std::nullopt;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    length = length << 8 | byte_at(rest_, i);
  rest_.remove_prefix(bytes);
  return length > short_most ? std::optional<std::size_t>{length} : std::nullopt;
}

std::string_view reader::next(bool list) {
  if (rest_.empty()) {
    fail();
    return {};
  }
  const auto head = byte_at(rest_, 0);
  const auto base = list ? list_base : string_base;
  if (!list && head < string_base) {
    const auto out = rest_.substr(0, 1);
    rest_.remove_prefix(1);
    return out;
  }
  std::optional<std::size_t> length;
  if (head >= base && head < base + 64) {
    rest_.remove_prefix(1);
    length = head - base <= short_most ? head - base : long_length(head - base - short_most);
  }
  if (!length || *length > rest_.size() || (!list && *length == 1 && byte_at(rest_, 0) < string_base)) {
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
  if (bytes.size() > word.size() || (!bytes.empty() && byte_at(bytes, 0) == 0)) {
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

} // namespace credence::wallets::rlp
