#include "actors/kernel/fact_json.hpp"

#include <cstdio>

namespace credence::detail {

void append_json_text(std::string& to, std::string_view text) {
  to += '"';
  for (const char each : text) {
    if (each == '"' || each == '\\') {
      to += '\\';
      to += each;
    } else if (static_cast<unsigned char>(each) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(each));
      to += escaped;
    } else
      to += each;
  }
  to += '"';
}

} // namespace credence::detail
