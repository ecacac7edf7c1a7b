#include "actors/domain/folded.hpp"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

namespace credence {

std::string folded(std::string_view text) {
  constexpr auto how = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD
                                                      | UTF8PROC_STRIPMARK | UTF8PROC_STRIPCC | UTF8PROC_IGNORE);
  utf8proc_uint8_t* raw = nullptr;
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &raw, how);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> made{raw, &std::free};
  if (length < 0)
    return std::string{text};
  return {reinterpret_cast<const char*>(made.get()), static_cast<std::size_t>(length)};
}

} // namespace credence
