#include "auth/address.hpp"

namespace credence::auth {

std::optional<address> parse_checksummed_address(std::string_view text) {
  const auto parsed = parse_address(text);
  if (!parsed || checksummed_text(*parsed) != text)
    return std::nullopt;
  return parsed;
}

} // namespace credence::auth
