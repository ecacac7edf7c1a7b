#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http {

/// An IP address in 16 bytes; IPv4 as ::ffff:a.b.c.d (RFC 4291, 2.5.5.2).
struct client_address {
  std::array<char, 16> bytes{};

  bool is_v4() const noexcept;
  /// The bytes that tell one client from another: all of an IPv4 address, of an IPv6
  /// address the first 64 bits, because a household has all that begin so.
  std::string_view of_one_client() const noexcept;
  bool operator==(const client_address&) const = default;
};

/// 127.0.0.0/8 or ::1: a program on this machine.
bool is_loopback(const client_address& which) noexcept;

/// As it is written: 192.0.2.1, 2001:db8::1.
std::string text_of(const client_address& which);

/// IPv4 or IPv6 as text, also with a zone (`fe80::1%eth0`), brackets or a port, as some
/// proxies write it; nothing for anything else.
std::optional<client_address> parse_address(std::string_view text);

/// Addresses and networks such as 10.0.0.0/8; those that are none are left out.
class address_ranges {
public:
  explicit address_ranges(std::span<const std::string> networks);
  bool contains(const client_address& which) const noexcept;
  bool empty() const noexcept { return ranges_.empty(); }

private:
  struct range {
    client_address first;
    unsigned bits;
  };
  std::vector<range> ranges_;
};

/// Who speaks through `peer`: itself, unless it is trusted and names others. Of those in
/// X-Forwarded-For it is the right-most that is not trusted, the left-most when all are;
/// when one up to there is no address, nothing of it is believed.
client_address client_behind(const client_address& peer, const address_ranges& trusted, std::string_view forwarded_for);

} // namespace credence::http
