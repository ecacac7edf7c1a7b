#pragma once

#include <string>
#include <string_view>

namespace credence {

/// An ASCII digit.
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// ASCII letters in lower case, all else as it is: how usernames and handles are compared.
inline std::string lower_case(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

} // namespace credence
