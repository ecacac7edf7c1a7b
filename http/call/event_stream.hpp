#pragma once

#include <cstddef>
#include <string_view>

namespace credence::http {

/// Takes what a stream of events sends: a connection, which calls and is called on its own thread alone.
class event_sink {
public:
  /// Bytes that a client may have waiting for it; one that reads more slowly is cut off.
  static constexpr std::size_t waiting_bytes_max = 256 * 1024;
  /// False when the client is cut off: it has too much waiting for it. Nothing is to be sent afterwards.
  virtual bool send(std::string_view bytes) = 0;
  /// Ends the stream once everything has been sent.
  virtual void end() = 0;

protected:
  ~event_sink() = default;
};

/// What feeds a stream, from the head of the answer on.
class event_source {
public:
  virtual ~event_source() = default;
  /// The head is on its way. `to` lasts until `closed`.
  virtual void opened(event_sink& to) = 0;
  /// The client is gone, or is cut off.
  virtual void closed() noexcept = 0;
};

} // namespace credence::http
