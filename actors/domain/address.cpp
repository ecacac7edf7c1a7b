#include "actors/domain/address.hpp"

#include "actors/domain/hex.hpp"
#include "actors/domain/keccak.hpp"

namespace credence {

std::optional<address> parse_address(std::string_view text) {
  address out;
  if (!text.starts_with("0x") || !decode_hex(text.substr(2), out.bytes))
    return std::nullopt;
  return out;
}

std::string lower_text(const address& of) {
  std::string out = "0x";
  append_hex(out, of.bytes);
  return out;
}

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

} // namespace credence
