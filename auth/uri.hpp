#pragma once

#include <string_view>

/// Which texts are URIs and their parts, by the grammar of RFC 3986 and nothing beyond it.
namespace credence::auth {

/// A URI with its scheme (RFC 3986, 3): `https://example.com/a?b#c`, `ipfs://…`, `urn:…`.
bool is_uri(std::string_view text);

/// The name of a scheme (3.1).
bool is_scheme(std::string_view text);

/// `[userinfo@]host[:port]` (3.2). The host may be empty, as in `file:///a`.
bool is_authority(std::string_view text);

/// An authority that names a host.
bool is_authority_with_host(std::string_view text);

/// Any number of `pchar` (3.3): what a segment of a path may hold.
bool is_segment(std::string_view text);

/// `reserved` or `unreserved` (2.2, 2.3): the characters that a URI may have unescaped.
bool is_uri_character(char c);

} // namespace credence::auth
