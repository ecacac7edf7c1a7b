#pragma once

#include <string>
#include <string_view>

namespace credence {

/// ASCII letters in lower case, all else as it is: how usernames and handles are compared.
inline std::string lower_case(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

} // namespace credence
