#pragma once

#include "http/framing.hpp"
#include "http/routes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace credence::http {

/// What the front looks at in a header, gathered in one walk over its fields. The
/// views last until the reader begins the next request; trailers do not get in here.
struct request_head {
  /// HEAD counts as GET with `head_only`. Nothing: a method no route has.
  std::optional<method> verb;
  bool head_only = false;
  bool options = false;
  std::string_view method_name;
  std::string_view target;
  std::string_view host;
  std::string_view authorization;
  std::size_t authorization_count = 0;
  std::string accept; // all Accept fields as one list
  std::string_view content_type;
  std::string_view request_id;
  std::string_view preflight_for; // Access-Control-Request-Method
  std::string_view origin;        // empty when there are several
  std::size_t origin_count = 0;
  std::string cookie; // all Cookie fields, with `; ` between them (RFC 6265bis, 5.7.3)
  std::string_view api_key; // X-Service-Api-Key, the last one
  std::size_t api_key_count = 0;
  /// X-Service-Client: 1 to 100 visible ASCII characters; empty when it is anything else,
  /// or there are several.
  std::string_view service_client;
  std::string_view idempotency_key; // the last one
  std::size_t idempotency_key_count = 0;
  std::string forwarded_for; // all X-Forwarded-For fields as one list
  unsigned version = 11;
  bool keep_alive = true;
  bool awaits_continue = false; // sent `Expect: 100-continue`
};

/// Reads one HTTP/1 request after the other from bytes as they come, and decides
/// after the header whether the body may be read at all. Hides Boost.Beast's parser.
class request_reader {
public:
  request_reader(std::size_t header_bytes_max, std::size_t body_bytes_max);
  ~request_reader();
  request_reader(const request_reader&) = delete;
  request_reader& operator=(const request_reader&) = delete;

  /// Forgets the last request and expects a new one.
  void begin();
  /// Lets go of the last request's memory.
  void clear() noexcept;

  /// Reads on and says how many bytes were used. Stops once behind the header, so
  /// that the caller may act before the body, and at the end of the request.
  std::size_t put(std::string_view bytes);

  bool header_done() const noexcept;
  bool done() const noexcept;
  /// Set when the request must be answered with an error and the connection closed.
  const std::optional<framing_error>& error() const noexcept { return error_; }

  const request_head& head() const noexcept { return head_; }
  std::string_view body() const noexcept;

private:
  void look_at_header();
  void look_at_extension(std::string_view name, std::string_view value, std::size_t& service_clients);

  struct impl;
  std::unique_ptr<impl> impl_;
  std::size_t header_bytes_max_;
  std::size_t body_bytes_max_;
  request_head head_;
  std::optional<framing_error> error_;
};

} // namespace credence::http
