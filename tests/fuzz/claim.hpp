#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace credence::fuzz {

/// Ends the run, and so reports the input at hand, when something is not as it must be.
inline void claim(bool holds, const char* text) {
  if (holds)
    return;
  std::fprintf(stderr, "does not hold: %s\n", text);
  std::abort();
}

/// The input of a target as text.
inline std::string_view text_of(const unsigned char* data, unsigned long size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Well-formed UTF-8 (Unicode 15, table 3-7), decided without the library that the product uses.
inline bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = byte(i);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4)
      return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(i + k) & 0xC0) != 0x80)
        return false;
    const unsigned next = byte(i + 1);
    if ((lead == 0xE0 && next < 0xA0) || (lead == 0xED && next > 0x9F) || (lead == 0xF0 && next < 0x90)
        || (lead == 0xF4 && next > 0x8F))
      return false;
    i += length;
  }
  return true;
}

} // namespace credence::fuzz
