#include "actors/domain/text.hpp"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

namespace credence {

namespace {

/// Diacritics that stand apart. Other scripts' marks are letters to their readers.
bool is_accent(utf8proc_int32_t point) noexcept {
  return (point >= 0x300 && point <= 0x36f) || (point >= 0x1ab0 && point <= 0x1aff)
         || (point >= 0x1dc0 && point <= 0x1dff) || (point >= 0x20d0 && point <= 0x20ff)
         || (point >= 0xfe20 && point <= 0xfe2f);
}

} // namespace

std::string folded(std::string_view text) {
  constexpr auto how = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE
                                                      | UTF8PROC_CASEFOLD | UTF8PROC_STRIPCC | UTF8PROC_IGNORE);
  utf8proc_uint8_t* raw = nullptr;
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &raw, how);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> made{raw, &std::free};
  if (length < 0)
    return std::string{text};
  std::string out;
  out.reserve(static_cast<std::size_t>(length));
  for (utf8proc_ssize_t at = 0; at < length;) {
    utf8proc_int32_t point = 0;
    const auto bytes = utf8proc_iterate(made.get() + at, length - at, &point);
    if (!is_accent(point))
      out.append(reinterpret_cast<const char*>(made.get() + at), static_cast<std::size_t>(bytes));
    at += bytes;
  }
  return out;
}

} // namespace credence
