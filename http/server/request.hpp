#pragma once

#include "actors/domain/time.hpp"
#include "config/settings.hpp"
#include "http/call/request_head.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace credence::http {

/// True for an id that a client may choose: 1 to 128 characters of `[A-Za-z0-9._-]`,
/// so that it is safe in a header and in a log line.
bool good_request_id(std::string_view id) noexcept;

/// Makes ids that nobody else has: a random beginning and a count. One instance per
/// thread; cheap enough for every request.
class request_ids {
public:
  request_ids();
  void append(std::string& out);

private:
  std::string beginning_;
  std::uint64_t count_ = 0;
};

/// Whether a body comes fast enough. Its first `bytes_per_second_min` bytes may take as long as the whole request:
/// small bodies of slow phones are not cut. From then on, and after a grace, it has to come at that rate at least.
class body_pace {
public:
  static constexpr std::size_t bytes_per_second_min = 1024;
  static constexpr std::chrono::seconds grace{5};

  /// A body begins.
  void begin() noexcept { seen_ = 0; }
  void came(std::size_t bytes, steady_time now) noexcept {
    if (seen_ < bytes_per_second_min && seen_ + bytes >= bytes_per_second_min)
      counted_since_ = now;
    seen_ += bytes;
  }
  bool too_slow(steady_time now) const noexcept {
    if (seen_ < bytes_per_second_min || now - counted_since_ <= grace)
      return false;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - counted_since_ - grace).count();
    return seen_ - bytes_per_second_min < static_cast<std::size_t>(seconds) * bytes_per_second_min;
  }

private:
  std::size_t seen_ = 0;
  steady_time counted_since_{};
};

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
