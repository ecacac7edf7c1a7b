#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace credence::chain {

/// Bytes that are kept of a text; the rest is cut off.
inline constexpr std::size_t text_bytes_kept = 64 * 1024;

/// What is kept of a text in UTF-8: its first `text_bytes_kept` bytes, without a character that would be cut in two.
inline std::string beginning_of(std::string text) {
  if (text.size() <= text_bytes_kept)
    return text;
  auto end = text_bytes_kept;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  text.resize(end);
  return text;
}

} // namespace credence::chain
