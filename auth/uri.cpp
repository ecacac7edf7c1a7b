#include "auth/uri.hpp"

#include "actors/domain/text.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace credence::auth {

namespace {

constexpr auto none = std::string_view::npos;
constexpr std::string_view gen_delims = ":/?#[]@";
constexpr std::string_view sub_delims = "!$&'()*+,;=";

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_unreserved(char c) { return is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

/// Any number of unreserved, pct-encoded, sub-delims and those in `more`.
bool made_of(std::string_view text, std::string_view more) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2]))
        return false;
      i += 2;
    } else if (!is_unreserved(c) && sub_delims.find(c) == none && more.find(c) == none) {
      return false;
    }
  }
  return true;
}

/// Takes what stands before the first `mark`, and the mark; all of it without one.
std::string_view take_until(std::string_view& rest, char mark) {
  const auto end = rest.find(mark);
  const auto out = rest.substr(0, end);
  rest = end == none ? std::string_view{} : rest.substr(end + 1);
  return out;
}

bool is_octet(std::string_view text) {
  if (text.empty() || text.size() > 3 || !std::all_of(text.begin(), text.end(), is_digit))
    return false;
  if (text.size() > 1 && text.front() == '0')
    return false;
  return text.size() < 3 || text <= "255";
}

bool is_ipv4(std::string_view text) {
  if (std::count(text.begin(), text.end(), '.') != 3)
    return false;
  for (int i = 0; i < 4; ++i)
    if (!is_octet(take_until(text, '.')))
      return false;
  return true;
}

/// How many groups of 16 bits a part of an IPv6 address writes out; nothing when it is not
/// such a part. The last two groups may be an IPv4 address when the part is the end.
std::optional<int> count_groups(std::string_view text, bool is_end) {
  if (text.empty())
    return 0;
  if (text.back() == ':')
    return std::nullopt;
  int groups = 0;
  while (!text.empty()) {
    const auto group = take_until(text, ':');
    if (is_end && text.empty() && is_ipv4(group))
      return groups + 2;
    if (group.empty() || group.size() > 4 || !std::all_of(group.begin(), group.end(), is_hex))
      return std::nullopt;
    ++groups;
  }
  return groups;
}

bool is_ipv6(std::string_view text) {
  const auto gap = text.find("::");
  if (gap == none)
    return count_groups(text, true) == 8;
  const auto before = count_groups(text.substr(0, gap), false);
  const auto after = count_groups(text.substr(gap + 2), true);
  return before && after && *before + *after <= 7;
}

bool is_future_ip(std::string_view text) {
  if (text.empty() || (text.front() != 'v' && text.front() != 'V'))
    return false;
  text.remove_prefix(1);
  const auto version = take_until(text, '.');
  return !version.empty() && std::all_of(version.begin(), version.end(), is_hex) && !text.empty()
         && text.find('%') == none && made_of(text, ":");
}

struct authority_parts {
  std::string_view host;
  std::string_view port;
  bool literal = false; // the host stood in brackets
};

/// Splits what follows the userinfo; nothing when there is more than a host and a port.
std::optional<authority_parts> split_host(std::string_view text) {
  authority_parts out;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == none)
      return std::nullopt;
    out.literal = true;
    out.host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (!text.empty() && text.front() != ':')
      return std::nullopt;
    out.port = text.empty() ? text : text.substr(1);
    return out;
  }
  out.host = take_until(text, ':');
  out.port = text;
  return out;
}

bool check_authority(std::string_view text, bool needs_host) {
  if (const auto at = text.find('@'); at != none) {
    if (!made_of(text.substr(0, at), ":"))
      return false;
    text.remove_prefix(at + 1);
  }
  const auto parts = split_host(text);
  if (!parts || !std::all_of(parts->port.begin(), parts->port.end(), is_digit))
    return false;
  if (parts->literal)
    return is_ipv6(parts->host) || is_future_ip(parts->host);
  return made_of(parts->host, "") && !(needs_host && parts->host.empty());
}

/// hier-part (RFC 3986, 3): an authority with a path, or a path alone.
bool is_hier_part(std::string_view text) {
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const auto path = std::min(text.find('/'), text.size());
    if (!is_authority(text.substr(0, path)))
      return false;
    text.remove_prefix(path);
  }
  return made_of(text, ":@/");
}

} // namespace

bool is_scheme(std::string_view text) {
  return !text.empty() && is_alpha(text.front()) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
}

bool is_authority(std::string_view text) { return check_authority(text, false); }

bool is_authority_with_host(std::string_view text) { return check_authority(text, true); }

bool is_segment(std::string_view text) { return made_of(text, ":@"); }

bool is_uri_character(char c) { return is_unreserved(c) || gen_delims.find(c) != none || sub_delims.find(c) != none; }

bool is_uri(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == none || !is_scheme(text.substr(0, colon)))
    return false;
  auto fragment = text.substr(colon + 1);
  auto query = take_until(fragment, '#');
  const auto hier_part = take_until(query, '?');
  return is_hier_part(hier_part) && made_of(query, ":@/?") && made_of(fragment, ":@/?");
}

} // namespace credence::auth
