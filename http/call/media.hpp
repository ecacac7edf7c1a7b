#pragma once

#include <string_view>

namespace credence::http {

/// True when an Accept header lets application/json through (RFC 9110, 12.5.1); an
/// absent or empty one accepts everything. The most specific range decides.
bool accepts_json(std::string_view accept) noexcept;

/// True when an Accept header names text/html, as those of browsers do that open a page.
bool names_html(std::string_view accept) noexcept;

/// True for `application/json`, with or without parameters.
bool is_json(std::string_view content_type) noexcept;

/// True when an Accept-Encoding header lets gzip through, and does not prefer an answer as it is (RFC 9110, 12.5.3).
bool accepts_gzip(std::string_view accept_encoding) noexcept;

/// True when If-None-Match lists what would be sent (RFC 9110, 13.1.2). `etag` is quoted; it may be weak.
bool lists_etag(std::string_view if_none_match, std::string_view etag) noexcept;

} // namespace credence::http
