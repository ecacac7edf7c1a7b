#pragma once

#include <optional>
#include <string>
#include <string_view>

/// URLs of other servers that settings name.
namespace credence::http {

/// Whether a setting that may also be something else is meant as a URL.
bool is_url(std::string_view text);
inline bool is_secure_url(std::string_view url) { return url.starts_with("https://"); }

/// The origin of an http:// or https:// URL as browsers send it (RFC 6454, 6.2): scheme and host in lower case,
/// without the scheme's own port. Empty when it is no such URL.
std::string origin_of(std::string_view url);

/// Where `http://` is let through. Private networks are meant by their numbers, which no resolver decides on.
enum class plain_http { this_machine, private_networks };

/// What is wrong with a URL; nothing where it may be called: `https://`, or `http://` as far as `to` allows, with a
/// host, without a user and a fragment.
std::optional<std::string> mistake_in_url(std::string_view url, plain_http to = plain_http::this_machine);

} // namespace credence::http
