#include "actors/domain/address.hpp"

#include "actors/domain/hex.hpp"

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

} // namespace credence
