#include "actors/chain/abi_types.hpp"

#include "actors/kernel/fact_json.hpp"

namespace credence::chain {

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
