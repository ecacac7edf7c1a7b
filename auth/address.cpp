#include "auth/address.hpp"

#include "auth/keccak.hpp"

namespace credence::auth {

std::string checksummed_text(const address& of) {
  auto text = lower_text(of);
  const auto hash = keccak256(std::string_view{text}.substr(2));
  for (std::size_t i = 0; i < text.size() - 2; ++i) {
    const auto pair = std::to_integer<unsigned>(hash[i / 2]);
    const auto nibble = i % 2 == 0 ? pair >> 4 : pair & 15;
    char& c = text[2 + i];
    if (nibble >= 8 && c >= 'a')
      c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::optional<address> parse_checksummed_address(std::string_view text) {
  const auto parsed = parse_address(text);
  if (!parsed || checksummed_text(*parsed) != text)
    return std::nullopt;
  return parsed;
}

} // namespace credence::auth
