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

/// Text as it is compared in a search: without case, accents and characters that are not
/// seen, and with what is written in several ways written in one ("ＪＯＳÉ" is "jose").
/// Unicode's compatibility decomposition, case folded, without the diacritics of Latin, Greek and Cyrillic; other
/// scripts keep their marks, which are letters there. Text that is not UTF-8 comes back as it is.
std::string folded(std::string_view text);

} // namespace credence
