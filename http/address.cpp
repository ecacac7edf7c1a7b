#include "http/address.hpp"

#include "auth/keccak.hpp"

namespace credence::http {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  const auto lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

} // namespace

std::optional<people::address_bytes> read_address(std::string_view text) {
  people::address_bytes out{};
  if (text.size() != 2 + 2 * out.size() || !text.starts_with("0x"))
    return std::nullopt;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = hex_digit(text[2 + 2 * i]);
    const int low = hex_digit(text[3 + 2 * i]);
    if (high < 0 || low < 0)
      return std::nullopt;
    out[i] = static_cast<std::byte>(high * 16 + low);
  }
  return out;
}

std::string hex_text(std::span<const std::byte> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "0x";
  for (const auto each : bytes) {
    out += digits[std::to_integer<unsigned>(each) >> 4];
    out += digits[std::to_integer<unsigned>(each) & 15];
  }
  return out;
}

std::string checksummed(const people::address_bytes& address) {
  auto out = hex_text(address);
  const auto hash = auth::keccak256(std::string_view{out}.substr(2));
  for (std::size_t i = 0; i < 2 * address.size(); ++i) {
    const auto nibble = std::to_integer<unsigned>(hash[i / 2]) >> (i % 2 ? 0 : 4) & 15;
    auto& c = out[2 + i];
    if (c >= 'a' && nibble >= 8)
      c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

} // namespace credence::http
