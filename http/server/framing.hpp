#pragma once

#include "config/settings.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace credence::http {

/// Longest request target, in bytes.
inline constexpr std::size_t target_length_max = 8 * 1024;

/// The header fields that decide where a request ends and whom it is for, as
/// counted while walking over all of them.
struct framing_fields {
  unsigned version = 11; // 10 or 11
  std::string_view method;
  std::size_t target_length = 0;
  std::size_t fields = 0;
  std::size_t host_count = 0;
  std::string_view host;
  std::size_t transfer_encoding_count = 0;
  std::string_view transfer_encoding;
  std::size_t content_length_count = 0;
  std::string_view content_length;
  std::size_t expect_count = 0;
  std::string_view expect;
  bool content_encoding = false;
};

/// Why a request may not be read any further. The connection is closed after it,
/// because nobody can say where the next request begins.
struct framing_error {
  unsigned status;
  std::string_view code;
  std::string message;
};

/// Refuses requests that two readers could understand differently (RFC 9112, 6.3
/// and 3.2; RFC 9110, 7.2 and 10.1.1), and those past a bound. Nothing when all is well.
std::optional<framing_error> check_framing(const framing_fields& fields, std::size_t body_bytes_max);

/// Most bytes that the extensions of all chunks of one body may have (RFC 9112, 7.1.1).
inline constexpr std::size_t chunk_extension_bytes_max = 4 * 1024;

/// True when a chunk's extensions hold no control character but the tab, which also the
/// quoted ones must not (RFC 9110, 5.6.4): some readers end the line at a bare line feed.
bool good_chunk_extension(std::string_view text);

} // namespace credence::http
