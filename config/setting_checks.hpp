#pragma once

#include "config/settings.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the text of a setting may be.
namespace credence::settings {

std::optional<std::int64_t> whole_number(const std::string& text);
/// The parts between commas, without the blanks around them.
std::vector<std::string> parts_of(const std::string& list);
/// Of a file; nothing when it cannot be read.
std::optional<std::string> first_line(const std::string& path);

/// Anything but an empty text.
bool is_given(const std::string& text);
/// An IPv4 or IPv6 address.
bool is_address(const std::string& text);
/// An address that only this machine can reach: 127.0.0.0/8 or ::1.
bool is_loopback(const std::string& text);
/// An address, or a network such as 10.0.0.0/8 or fd00::/8.
bool is_network(const std::string& text);
/// A day that there is, as YYYY-MM-DD.
bool is_date(const std::string& text);
/// A whole number from 1 to 10^24 in decimal digits, without a zero in front.
bool is_price(const std::string& text);
/// The same, or 0.
bool is_price_or_none(const std::string& text);
/// An origin as browsers send it: scheme and host in lower case, a port unless it is
/// the scheme's own, nothing behind (RFC 6454, 6.2).
bool is_origin(const std::string& text);
/// The same with https, or on this machine: a page that acts for users is not to be changed on its way.
bool is_partner_origin(const std::string& text);
/// A name of a host in lower case, without a port.
bool is_host_name(const std::string& text);
/// A URI by which somebody is told something, `mailto:` with an address or `https:` with a host (RFC 9116, 2.5.3), or
/// nothing.
bool is_contact_or_none(const std::string& text);
/// Where a browser finds the console: nothing, or a URL with a host and perhaps a path, without a slash at its end.
bool is_console_url(const std::string& text);

/// `200/s burst 2000`, `10/min burst 30`, `5/h burst 1`, or `0` for no bound.
std::optional<rate> parse_rate(const std::string& text);
std::string text_of(const rate& rate);

/// Millionths of a dollar of `3210.5`: digits, and at most six more behind a point; above 0 and below a billion
/// dollars.
std::optional<std::int64_t> parse_dollars(const std::string& text);
/// Such dollars, or nothing.
bool is_dollars(const std::string& text);

/// Four fees in basis points, such as `100/100/400/100`; together at most 1,000, as in the contract of vouches.
std::optional<std::array<std::uint32_t, 4>> parse_fees(const std::string& text);
bool are_fees(const std::string& text);

} // namespace credence::settings
