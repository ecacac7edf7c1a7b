#pragma once

#include "http/call/request_head.hpp"
#include "http/server/framing.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace credence::http {

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
