#include "actors/domain/hex.hpp"

namespace credence {

namespace {

/// 0 to 15, or -1 for what is no hexadecimal digit.
int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

} // namespace

bool decode_hex(std::string_view text, std::span<std::byte> out) {
  if (text.size() != 2 * out.size())
    return false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    out[i] = static_cast<std::byte>(high << 4 | low);
  }
  return true;
}

void append_hex(std::string& out, std::span<const std::byte> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  for (const auto each : bytes) {
    out += digits[std::to_integer<unsigned>(each) >> 4];
    out += digits[std::to_integer<unsigned>(each) & 15];
  }
}

} // namespace credence
