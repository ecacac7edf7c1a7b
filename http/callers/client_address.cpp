#include "http/callers/client_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace credence::http {

namespace {

constexpr std::string_view v4_beginning{"\0\0\0\0\0\0\0\0\0\0\xff\xff", 12};
constexpr unsigned v4_bits = 96; // in front of an IPv4 address

std::optional<client_address> plain_address(std::string_view text) {
  char copy[INET6_ADDRSTRLEN + 1] = {};
  if (text.empty() || text.size() >= sizeof copy)
    return std::nullopt;
  text.copy(copy, text.size());
  client_address out;
  if (text.find(':') != std::string_view::npos)
    return ::inet_pton(AF_INET6, copy, out.bytes.data()) == 1 ? std::optional{out} : std::nullopt;
  v4_beginning.copy(out.bytes.data(), v4_beginning.size());
  return ::inet_pton(AF_INET, copy, out.bytes.data() + v4_beginning.size()) == 1 ? std::optional{out} : std::nullopt;
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5
         && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

} // namespace

bool client_address::is_v4() const noexcept {
  return std::string_view{bytes.data(), v4_beginning.size()} == v4_beginning;
}

std::string_view client_address::of_one_client() const noexcept {
  return is_v4() ? std::string_view{bytes.data() + v4_beginning.size(), 4} : std::string_view{bytes.data(), 8};
}

bool is_loopback(const client_address& which) noexcept {
  if (which.is_v4())
    return which.bytes[v4_beginning.size()] == 127;
  client_address own; // ::1
  own.bytes.back() = 1;
  return which == own;
}

std::string text_of(const client_address& which) {
  char text[INET6_ADDRSTRLEN] = {};
  if (which.is_v4())
    ::inet_ntop(AF_INET, which.bytes.data() + v4_beginning.size(), text, sizeof text);
  else
    ::inet_ntop(AF_INET6, which.bytes.data(), text, sizeof text);
  return text;
}

std::optional<client_address> parse_address(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos)
      return std::nullopt;
    const auto behind = text.substr(end + 1);
    if (!behind.empty() && (behind[0] != ':' || !is_port(behind.substr(1))))
      return std::nullopt;
    return plain_address(text.substr(1, end - 1));
  }
  const auto colon = text.find(':');
  if (colon != std::string_view::npos && text.find(':', colon + 1) == std::string_view::npos)
    return is_port(text.substr(colon + 1)) ? plain_address(text.substr(0, colon)) : std::nullopt;
  return plain_address(text.substr(0, text.find('%')));
}

address_ranges::address_ranges(std::span<const std::string> networks) {
  for (const std::string_view each : networks) {
    const auto slash = each.find('/');
    const auto first = plain_address(each.substr(0, slash));
    if (!first)
      continue;
    unsigned bits = 128;
    if (slash != std::string_view::npos) {
      std::from_chars(each.data() + slash + 1, each.data() + each.size(), bits);
      if (each.find(':') == std::string_view::npos)
        bits += v4_bits;
    }
    ranges_.push_back({*first, std::min(bits, 128u)});
  }
}

bool address_ranges::contains(const client_address& which) const noexcept {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const range& each) {
    const auto whole = each.bits / 8;
    if (std::memcmp(each.first.bytes.data(), which.bytes.data(), whole) != 0)
      return false;
    const auto left = each.bits % 8;
    return left == 0 || (static_cast<unsigned char>(each.first.bytes[whole] ^ which.bytes[whole]) >> (8 - left)) == 0;
  });
}

client_address client_behind(const client_address& peer, const address_ranges& trusted,
                             std::string_view forwarded_for) {
  if (forwarded_for.empty() || !trusted.contains(peer))
    return peer;
  for (;;) {
    const auto comma = forwarded_for.rfind(',');
    const bool last = comma == std::string_view::npos;
    const auto named = parse_address(without_blanks(last ? forwarded_for : forwarded_for.substr(comma + 1)));
    if (!named)
      return peer;
    if (last || !trusted.contains(*named))
      return *named;
    forwarded_for = forwarded_for.substr(0, comma);
  }
}

} // namespace credence::http
