#include "actors/chain/abi.hpp"

#include "actors/kernel/fact_json.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace credence::chain {

namespace {

constexpr std::array<std::string_view, 10> error_names{"bad_topics", "truncated",      "bad_offset", "bad_word",
                                                       "bad_enum",   "bad_text",       "too_long",   "id_out_of_range",
                                                       "bad_time",   "unknown_service"};

limbs256 limbs_of(const word& from) {
  limbs256 out{};
  for (std::size_t i = 0; i < from.size(); ++i)
    out[3 - i / 8] = out[3 - i / 8] << 8 | std::to_integer<std::uint64_t>(from[i]);
  return out;
}

word word_of_limbs(const limbs256& limbs) {
  word out;
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::byte>(limbs[3 - i / 8] >> (56 - i % 8 * 8) & 0xFF);
  return out;
}

/// Two's complement of a number: 2^256 less it.
limbs256 negated(limbs256 number) {
  std::uint64_t carry = 1;
  for (auto& limb : number) {
    limb = ~limb + carry;
    carry = carry != 0 && limb == 0 ? 1 : 0;
  }
  return number;
}

constexpr std::size_t whole_words(std::size_t bytes) { return (bytes + 31) / 32 * 32; }

} // namespace

std::string_view name_of(decode_error error) { return error_names[static_cast<std::size_t>(error)]; }

bool decoding::take(std::size_t bytes) {
  if (bytes > decoded_bytes_max - taken_) {
    fail(decode_error::too_long);
    return false;
  }
  taken_ += bytes;
  return true;
}

word word_reader::next() {
  word out{};
  if (!good())
    return out;
  if (base_.size() - at_ < out.size()) {
    fail(decode_error::truncated);
    return out;
  }
  std::copy_n(base_.begin() + static_cast<std::ptrdiff_t>(at_), out.size(), out.begin());
  at_ += out.size();
  return out;
}

word_reader word_reader::follow() {
  const auto offset = next();
  const auto at = small_number(offset, base_.size());
  if (good() && (!at || *at == base_.size()))
    fail(decode_error::bad_offset);
  return good() ? word_reader{base_.subspan(static_cast<std::size_t>(*at)), *of_} : word_reader{{}, *of_};
}

std::size_t word_reader::next_length(std::size_t most) {
  const auto length = small_number(next(), most);
  if (!length)
    fail(decode_error::too_long);
  return length && good() ? static_cast<std::size_t>(*length) : 0;
}

std::span<const std::byte> word_reader::next_bytes(std::size_t count) {
  if (good() && (base_.size() - at_ < count || base_.size() - at_ < whole_words(count)))
    fail(decode_error::truncated);
  if (!good())
    return {};
  const auto out = base_.subspan(at_, count);
  at_ += whole_words(count);
  return out;
}

uint256 unsigned_of(const word& from) { return uint256{limbs_of(from)}; }
word word_of(const uint256& number) { return word_of_limbs(number.limbs()); }

wei_change signed_of(const word& from) {
  const auto limbs = limbs_of(from);
  const bool negative = limbs[3] >> 63 != 0;
  const wei_change size{uint256{negative ? negated(limbs) : limbs}};
  return negative ? wei_change{-size} : size;
}

word word_of_signed(const wei_change& number) {
  const bool negative = number < 0;
  const auto limbs = abs(number).limbs();
  const auto out = word_of_limbs(negative ? negated(limbs) : limbs);
  if (signed_of(out) != number)
    throw std::range_error("a number of 256 bits with its sign lies from -2^255 to 2^255 - 1");
  return out;
}

std::optional<std::uint64_t> small_number(const word& from, std::uint64_t most) {
  const auto limbs = limbs_of(from);
  if ((limbs[1] | limbs[2] | limbs[3]) != 0 || limbs[0] > most)
    return std::nullopt;
  return limbs[0];
}

word word_of_small(std::uint64_t number) { return word_of_limbs({number, 0, 0, 0}); }

bool is_clean_text(std::string_view text) noexcept {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(text[at])); };
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = byte(i);
    if (lead == 0)
      return false;
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4 || text.size() - i < length)
      return false;
    std::uint32_t point = length == 1 ? lead : lead & (0x7Fu >> length);
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80)
        return false;
      point = point << 6 | (byte(i + k) & 0x3F);
    }
    const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x1'0000);
    if (overlong || point > 0x10'FFFF || (point >= 0xD800 && point <= 0xDFFF))
      return false;
    i += length;
  }
  return true;
}

namespace {

std::span<const std::byte> bytes_in(const std::string& text) { return std::as_bytes(std::span{text}); }

/// The text at a reader, which the data holds for as long as it lives.
std::string_view text_at(word_reader& in) {
  const auto bytes = in.next_bytes(in.next_length(text_bytes_max));
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  if (!is_clean_text(text))
    in.fail(decode_error::bad_text);
  return in.good() ? text : std::string_view{};
}

void append_bytes(std::string& to, std::span<const std::byte> bytes) {
  detail::append_word(to, word_of_small(bytes.size()));
  detail::append_padded(to, bytes);
}

} // namespace

namespace detail {

void append_json_number(std::string& to, const uint256& number) {
  if (number <= static_cast<std::uint64_t>(limits::safe_integer_max))
    to += decimal(number);
  else
    append_json_text(to, decimal(number));
}

void append_json_number(std::string& to, const wei_change& number) {
  if (abs(number) <= limits::safe_integer_max)
    to += decimal(number);
  else
    append_json_text(to, decimal(number));
}

void append_json_text(std::string& to, std::string_view text) { credence::detail::append_json_text(to, text); }

void append_json_bytes(std::string& to, std::span<const std::byte> bytes) {
  to += "\"0x";
  append_hex(to, bytes);
  to += '"';
}

void append_word(std::string& to, const word& raw) { to.append(reinterpret_cast<const char*>(raw.data()), raw.size()); }

void append_padded(std::string& to, std::span<const std::byte> bytes) {
  to.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  to.append((32 - bytes.size() % 32) % 32, '\0');
}

} // namespace detail

std::string solidity<std::string>::read(word_reader& in) {
  const auto text = text_at(in);
  return in.shared().take(text.size()) ? std::string{text} : std::string{};
}

void solidity<std::string>::append(std::string& to, const std::string& text) { append_bytes(to, bytes_in(text)); }

std::vector<std::byte> solidity<std::vector<std::byte>>::read(word_reader& in) {
  const auto bytes = in.next_bytes(in.next_length(text_bytes_max));
  if (!in.shared().take(bytes.size()))
    return {};
  return {bytes.begin(), bytes.end()};
}

void solidity<std::vector<std::byte>>::append(std::string& to, const std::vector<std::byte>& bytes) {
  append_bytes(to, bytes);
}

people::account_service solidity<people::account_service>::read(word_reader& in) {
  const auto text = text_at(in);
  const auto found = std::find(people::service_names.begin(), people::service_names.end(), text);
  if (found == people::service_names.end()) {
    in.fail(decode_error::unknown_service);
    return {};
  }
  return static_cast<people::account_service>(found - people::service_names.begin());
}

} // namespace credence::chain
