#include "http/server/framing.hpp"

#include "actors/domain/lower_case.hpp"
#include "config/limits.hpp"
#include "http/call/authority.hpp"

#include <algorithm>
#include <charconv>

namespace credence::http {

namespace {

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto low = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return low(x) == low(y);
  });
}

framing_error bad_framing(std::string message) { return {400, "BAD_REQUEST", std::move(message)}; }

} // namespace

bool good_chunk_extension(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7F;
  });
}

std::optional<framing_error> check_framing(const framing_fields& fields, std::size_t body_bytes_max) {
  if (fields.version != 10 && fields.version != 11)
    return framing_error{505, "HTTP_VERSION_NOT_SUPPORTED", "use HTTP/1.1"};
  if (fields.fields > limits::header_fields_max)
    return framing_error{431, "HEADER_TOO_LARGE",
                         "more than " + std::to_string(limits::header_fields_max) + " header fields"};
  if (fields.target_length > target_length_max)
    return framing_error{414, "URI_TOO_LONG",
                         "the request target is longer than " + std::to_string(target_length_max) + " bytes"};
  if (fields.transfer_encoding_count > 1)
    return bad_framing("more than one Transfer-Encoding");
  if (fields.transfer_encoding_count == 1) {
    if (!same_ignoring_case(fields.transfer_encoding, "chunked"))
      return bad_framing("Transfer-Encoding must be exactly 'chunked'");
    if (fields.content_length_count > 0)
      return bad_framing("Transfer-Encoding and Content-Length in one request");
    if (fields.version == 10)
      return bad_framing("Transfer-Encoding in an HTTP/1.0 request");
  }
  if (fields.content_length_count > 1)
    return bad_framing("more than one Content-Length");
  if (fields.content_length_count == 1) {
    const auto text = fields.content_length;
    if (text.empty() || text.size() > 19 || !std::all_of(text.begin(), text.end(), is_digit))
      return bad_framing("Content-Length must be a decimal number");
    std::uint64_t length = 0;
    std::from_chars(text.data(), text.data() + text.size(), length);
    if (length > body_bytes_max)
      return framing_error{413, "CONTENT_TOO_LARGE",
                           "the body has " + std::string{text} + " bytes, more than the "
                             + std::to_string(body_bytes_max) + " allowed"};
  }
  if (fields.host_count > 1)
    return bad_framing("more than one Host");
  if (fields.host_count == 0 && fields.version == 11)
    return bad_framing("Host is missing");
  if (fields.host_count == 1 && !good_authority(fields.host))
    return bad_framing("Host is not a host name with an optional port");
  if (fields.method == "CONNECT" || fields.method == "TRACE")
    return framing_error{501, "NOT_IMPLEMENTED", "method " + std::string{fields.method} + " is not offered"};
  // HTTP/1.0 knows no expectations: they are ignored there.
  if (fields.version >= 11
      && (fields.expect_count > 1 || (fields.expect_count == 1 && !same_ignoring_case(fields.expect, "100-continue"))))
    return framing_error{417, "EXPECTATION_FAILED", "the only expectation met here is 100-continue"};
  if (fields.content_encoding)
    return framing_error{415, "UNSUPPORTED_MEDIA_TYPE", "send the body without Content-Encoding"};
  return std::nullopt;
}

} // namespace credence::http
