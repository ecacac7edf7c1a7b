#include "http/call/authority.hpp"

#include "actors/domain/lower_case.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace credence::http {

namespace {

bool good_port(std::string_view port) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
  return error == std::errc{} && end == port.data() + port.size() && value <= 65535;
}

} // namespace

bool good_authority(std::string_view host) {
  if (host.empty() || host.size() > 300)
    return false;
  std::size_t end;
  if (host.front() == '[') {
    end = host.find(']');
    if (end == std::string_view::npos || end < 3)
      return false;
    for (const char c : host.substr(1, end - 1))
      if (!is_digit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F') && c != ':' && c != '.')
        return false;
    ++end;
  } else {
    end = std::min(host.find(':'), host.size());
    for (const char c : host.substr(0, end))
      if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '.' && c != '-' && c != '_')
        return false;
    if (end == 0)
      return false;
  }
  return end == host.size() || (host[end] == ':' && good_port(host.substr(end + 1)));
}

} // namespace credence::http
