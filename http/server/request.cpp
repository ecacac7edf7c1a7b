#include "http/server/request.hpp"

#include "actors/domain/text.hpp"
#include "config/limits.hpp"
#include "http/call/target.hpp"
#include "ops/log.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <random>

namespace credence::http {

namespace {

void append_hex(std::string& out, std::uint64_t number, int digits) {
  auto at = out.size();
  out.resize(at + static_cast<std::size_t>(digits));
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4)
    out[at++] = "0123456789abcdef"[number >> shift & 0xF];
}

} // namespace

bool good_request_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= limits::request_id_length_max && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_'
           || c == '-';
  });
}

request_ids::request_ids() {
  std::random_device dice;
  append_hex(beginning_, dice(), 8);
  append_hex(beginning_, dice(), 4);
}

void request_ids::append(std::string& out) {
  out += beginning_;
  append_hex(out, ++count_, 10);
}

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

// The one place that knows Beast.

namespace beast_http = boost::beast::http;
using boost::system::error_code;

namespace {

std::string_view plain(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::optional<method> method_of(beast_http::verb verb) {
  switch (verb) {
    case beast_http::verb::get:
    case beast_http::verb::head: return method::get;
    case beast_http::verb::post: return method::post;
    case beast_http::verb::put: return method::put;
    case beast_http::verb::patch: return method::patch;
    case beast_http::verb::delete_: return method::del;
    default: return std::nullopt;
  }
}

framing_error header_too_large(std::size_t header_bytes_max) {
  return {431, "HEADER_TOO_LARGE", "the header is larger than " + std::to_string(header_bytes_max) + " bytes"};
}

framing_error kind_of_parse_error(const error_code& error, std::size_t header_bytes_max, std::size_t body_bytes_max) {
  if (error == beast_http::error::header_limit)
    return header_too_large(header_bytes_max);
  if (error == beast_http::error::body_limit || error == beast_http::error::buffer_overflow)
    return {413, "CONTENT_TOO_LARGE", "the body is larger than " + std::to_string(body_bytes_max) + " bytes"};
  if (error == beast_http::error::bad_version)
    return {505, "HTTP_VERSION_NOT_SUPPORTED", "use HTTP/1.1"};
  return {400, "BAD_REQUEST", "the request is malformed: " + error.message()};
}

bool good_service_client(std::string_view value) {
  return !value.empty() && value.size() <= limits::service_client_length_max
         && std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

/// Whether a line of a header begins with a blank, and so goes on from the line before.
bool has_folded_line(std::string_view header) {
  for (auto at = header.find('\n'); at != std::string_view::npos && at + 1 < header.size();
       at = header.find('\n', at + 1))
    if (header[at + 1] == ' ' || header[at + 1] == '\t')
      return true;
  return false;
}

/// Bytes of the shortest whole chunked body; of any such body at least as many are still
/// to come before a chunk. Beast aborts the process when it is given the last chunk of an
/// empty body with fewer.
constexpr std::size_t chunked_body_bytes_min = 5; // "0\r\n\r\n"

} // namespace

struct request_reader::impl {
  std::optional<beast_http::request_parser<beast_http::string_body>> parser;
  std::size_t header_bytes = 0;
  std::size_t extension_bytes = 0;
  std::function<void(std::uint64_t, boost::beast::string_view, error_code&)> on_chunk =
    [this](std::uint64_t, boost::beast::string_view extension, error_code& error) {
      extension_bytes += extension.size();
      if (extension_bytes > chunk_extension_bytes_max || !good_chunk_extension(plain(extension)))
        error = beast_http::error::bad_chunk_extension;
    };
};

request_reader::request_reader(std::size_t header_bytes_max, std::size_t body_bytes_max)
  : impl_(std::make_unique<impl>()), header_bytes_max_(header_bytes_max), body_bytes_max_(body_bytes_max) {}

request_reader::~request_reader() = default;

void request_reader::begin() {
  clear();
  auto& parser = impl_->parser.emplace();
  parser.header_limit(static_cast<std::uint32_t>(header_bytes_max_));
  parser.body_limit(body_bytes_max_);
  parser.on_chunk_header(impl_->on_chunk);
  impl_->extension_bytes = 0;
  impl_->header_bytes = 0;
}

void request_reader::clear() noexcept {
  impl_->parser.reset();
  head_ = {};
  error_.reset();
}

bool request_reader::header_done() const noexcept { return impl_->parser && impl_->parser->is_header_done(); }

bool request_reader::done() const noexcept { return impl_->parser && impl_->parser->is_done(); }

std::string_view request_reader::body() const noexcept {
  return impl_->parser ? std::string_view{impl_->parser->get().body()} : std::string_view{};
}

std::size_t request_reader::put(std::string_view bytes) {
  auto& parser = *impl_->parser;
  const bool in_body = parser.is_header_done();
  if (in_body && parser.chunked() && bytes.size() < chunked_body_bytes_min)
    return 0;
  parser.eager(in_body); // while reading the header, stop at its end
  error_code error;
  const auto used = parser.put(boost::asio::const_buffer{bytes.data(), bytes.size()}, error);
  if (!in_body) {
    impl_->header_bytes += used;
    // Beast makes one line of it, where others see two (RFC 9112, 5.2).
    if (!error_ && has_folded_line(bytes.substr(0, used)))
      error_ = framing_error{400, "BAD_REQUEST", "a header field must not go on in another line"};
  }
  if (error_)
    return used;
  if (error && error != beast_http::error::need_more)
    error_ = kind_of_parse_error(error, header_bytes_max_, body_bytes_max_);
  else if (impl_->header_bytes > header_bytes_max_) // Beast bounds only what it has not yet used
    error_ = header_too_large(header_bytes_max_);
  else if (!in_body && parser.is_header_done())
    look_at_header();
  return used;
}

/// A field that Beast has no number for.
void request_reader::look_at_extension(std::string_view name, std::string_view value, std::size_t& service_clients) {
  const auto is = [name](std::string_view wanted) { return boost::beast::iequals(name, wanted); };
  if (is("X-Request-Id")) {
    head_.request_id = value;
  } else if (is("X-Service-Client")) { // of two, nobody can say which is meant
    head_.service_client = ++service_clients == 1 && good_service_client(value) ? value : std::string_view{};
  } else if (is("X-Service-Api-Key")) {
    ++head_.api_key_count;
    head_.api_key = value;
  } else if (is("Idempotency-Key")) {
    ++head_.idempotency_key_count;
    head_.idempotency_key = value;
  } else if (is("X-CSRF-Token")) {
    head_.csrf_token = ++head_.csrf_token_count == 1 ? value : std::string_view{};
  } else if (is("Last-Event-ID")) {
    head_.last_event_id = value;
  } else if (is("X-Forwarded-For")) {
    head_.forwarded_for.append(head_.forwarded_for.empty() ? "" : ",").append(value);
  }
}

void request_reader::look_at_header() {
  const auto& request = impl_->parser->get();
  framing_fields fields;
  std::size_t content_types = 0;
  std::size_t service_clients = 0;
  fields.version = request.version();
  fields.method = plain(request.method_string());
  fields.target_length = request.target().size();
  for (const auto& field : request) {
    ++fields.fields;
    const auto value = plain(field.value());
    switch (field.name()) {
      case beast_http::field::host:
        ++fields.host_count;
        fields.host = value;
        break;
      case beast_http::field::transfer_encoding:
        ++fields.transfer_encoding_count;
        fields.transfer_encoding = value;
        break;
      case beast_http::field::content_length:
        ++fields.content_length_count;
        fields.content_length = value;
        break;
      case beast_http::field::expect:
        ++fields.expect_count;
        fields.expect = value;
        break;
      case beast_http::field::content_encoding: fields.content_encoding = true; break;
      case beast_http::field::authorization:
        ++head_.authorization_count;
        head_.authorization = value;
        break;
      case beast_http::field::accept: head_.accept.append(head_.accept.empty() ? "" : ",").append(value); break;
      case beast_http::field::accept_encoding:
        head_.accept_encoding.append(head_.accept_encoding.empty() ? "" : ",").append(value);
        break;
      case beast_http::field::if_none_match:
        head_.if_none_match.append(head_.if_none_match.empty() ? "" : ",").append(value);
        break;
      case beast_http::field::content_type: // of two, nobody can say which is meant
        head_.content_type = ++content_types == 1 ? value : std::string_view{};
        break;
      case beast_http::field::access_control_request_method: head_.preflight_for = value; break;
      case beast_http::field::access_control_request_headers:
        head_.preflight_headers.append(head_.preflight_headers.empty() ? "" : ",").append(value);
        break;
      case beast_http::field::origin: head_.origin = ++head_.origin_count == 1 ? value : std::string_view{}; break;
      case beast_http::field::cookie: head_.cookie.append(head_.cookie.empty() ? "" : "; ").append(value); break;
      case beast_http::field::unknown: look_at_extension(plain(field.name_string()), value, service_clients); break;
      default: break;
    }
  }
  head_.verb = method_of(request.method());
  head_.head_only = request.method() == beast_http::verb::head;
  head_.options = request.method() == beast_http::verb::options;
  head_.method_name = fields.method;
  head_.target = plain(request.target());
  head_.host = fields.host;
  head_.version = fields.version;
  head_.keep_alive = impl_->parser->keep_alive();
  head_.awaits_continue = fields.expect_count > 0 && fields.version >= 11 && !impl_->parser->is_done();
  error_ = check_framing(fields, body_bytes_max_);
}

} // namespace credence::http
