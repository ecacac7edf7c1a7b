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

} // namespace credence::http
