#include "http/call/target.hpp"

#include "actors/domain/text.hpp"
#include "config/limits.hpp"

#include <simdjson.h>

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

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

refusal bad_target(std::string why) { return {refusal_code::invalid_input, std::move(why)}; }

/// Schemes have no case (RFC 3986, 3.1).
bool begins_with_scheme(std::string_view target, std::string_view scheme) {
  return target.size() > scheme.size()
         && std::equal(scheme.begin(), scheme.end(), target.begin(),
                       [](char want, char have) { return want == (have >= 'A' && have <= 'Z' ? have + 32 : have); });
}

} // namespace

bool valid_utf8(std::string_view text) noexcept { return simdjson::validate_utf8(text.data(), text.size()); }

outcome<target_parts> split_target(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (begins_with_scheme(target, scheme)) {
      const auto path = target.find_first_of("/?#", scheme.size());
      // No host is an error, and so is a user before it (RFC 9110, 4.2.1 and 4.2.4).
      if (!good_authority(target.substr(scheme.size(), path == std::string_view::npos ? path : path - scheme.size())))
        return bad_target(
          "the request target must name a host with an optional port, or be a path that begins with '/'");
      target = path == std::string_view::npos ? std::string_view{"/"} : target.substr(path);
      break;
    }
  if (target.empty() || target.front() != '/')
    return bad_target("the request target must be a path that begins with '/'");
  if (target.find('#') != std::string_view::npos)
    return bad_target("the request target must not hold a fragment");
  if (!valid_utf8(target)) // messages show it
    return bad_target("the request target is not valid UTF-8");
  const auto mark = target.find('?');
  if (mark == std::string_view::npos)
    return target_parts{target, {}};
  return target_parts{target.substr(0, mark), target.substr(mark + 1)};
}

outcome<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0)
        return bad_target("'%' must be followed by two hexadecimal digits");
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      return bad_target("control characters are not allowed in the request target");
    out += c;
  }
  if (!valid_utf8(out))
    return bad_target("the request target is not valid UTF-8");
  return out;
}

outcome<query_map> decode_query(std::string_view query) {
  query_map out;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (part.empty())
      continue;
    if (out.size() == limits::query_parameters_max)
      return bad_target("more than " + std::to_string(limits::query_parameters_max) + " query parameters");
    const auto mark = std::min(part.find('='), part.size());
    auto name = percent_decode(part.substr(0, mark), true);
    if (!name)
      return name.why();
    auto value = percent_decode(part.substr(std::min(mark + 1, part.size())), true);
    if (!value)
      return value.why();
    out.emplace_back(*std::move(name), *std::move(value));
  }
  return out;
}

} // namespace credence::http
