#pragma once

#include "actors/domain/outcome.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::http {

/// True for `name`, `name:port`, `[v6]` and `[v6]:port` (RFC 9110, 7.2; RFC 3986, 3.2.2).
bool good_authority(std::string_view host);

/// Decoded query parameters in the order given; names may repeat.
using query_map = std::vector<std::pair<std::string, std::string>>;

/// A request target taken apart. The path stays encoded, so that a decoded `/`
/// cannot be mistaken for a separator.
struct target_parts {
  std::string_view path;
  std::string_view query;
};

/// Origin form or absolute form (RFC 9112, 3.2), valid UTF-8; anything else is refused.
outcome<target_parts> split_target(std::string_view target);

/// Strict percent-decoding: two hex digits after every `%`, the result valid UTF-8
/// and free of NUL (and of other control characters). `+` is a space in queries only.
outcome<std::string> percent_decode(std::string_view text, bool plus_is_space);

/// Decodes a query string; refuses bad encoding and more than
/// `limits::query_parameters_max` parameters.
outcome<query_map> decode_query(std::string_view query);

/// True for well-formed UTF-8 (no overlong forms, no surrogates).
bool valid_utf8(std::string_view text) noexcept;

} // namespace credence::http
