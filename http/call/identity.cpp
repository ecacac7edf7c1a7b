#include "http/call/identity.hpp"

#include "actors/domain/hash.hpp"
#include "auth/digest.hpp"

#include <algorithm>
#include <span>

namespace credence::http {

bool partner_rules::lists(std::string_view origin) const noexcept {
  return !origin.empty() && std::find(origins.begin(), origins.end(), origin) != origins.end();
}

std::string partner_cookie_name(const partner_rules& rules, std::string_view which, std::string_view origin) {
  constexpr std::size_t digest_bytes = 8;
  const auto hash = auth::sha256(origin);
  auto out = rules.cookie_prefix + std::string{which} + "-";
  append_hex(out, std::span{hash}.first(digest_bytes));
  return out;
}

std::string_view cookie_value(std::string_view header, std::string_view name) noexcept {
  while (!header.empty()) {
    const auto end = header.find(';');
    auto pair = header.substr(0, end);
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 1);
    while (pair.starts_with(' '))
      pair.remove_prefix(1);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
  }
  return {};
}

bool is_uuid(std::string_view text) noexcept {
  if (text.size() != 36)
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char x = text[i];
    if (dash ? x != '-' : !((x >= '0' && x <= '9') || (x >= 'a' && x <= 'f')))
      return false;
  }
  return true;
}

} // namespace credence::http
