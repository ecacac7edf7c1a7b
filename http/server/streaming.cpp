// An answer that goes on until either side ends it.
#include "http/server/connection.hpp"

#include "ops/metrics.hpp"

#include <boost/asio/write.hpp>

#include <utility>

namespace credence::http {

/// The head has been sent. From here on what the client sends is not looked at; that it is gone is noticed by reading.
void connection::begin_stream() {
  stream_ending_ = false;
  source_ = std::move(call_.events_);
  set_phase(phase::streaming);
  buffer_.clear();
  read();
  const auto feeding = source_;
  feeding->opened(*this);
}

bool connection::send(std::string_view bytes) {
  if (phase_ != phase::streaming || stream_ending_ || !socket_.is_open())
    return false;
  if (stream_waiting_.size() + bytes.size() > waiting_bytes_max && !stream_waiting_.empty()) {
    ops::the_metrics().http.timeouts.add();
    close();
    return false;
  }
  stream_waiting_.append(bytes);
  if (!stream_writing_)
    write_stream();
  return true;
}

void connection::end() {
  stream_ending_ = true;
  if (phase_ == phase::streaming && !stream_writing_)
    close();
}

void connection::write_stream() {
  stream_writing_ = true;
  phase_began_ = steady_clock::now(); // the client's time to take it
  body_.clear();
  body_.swap(stream_waiting_);
  ops::the_metrics().http.bytes_out.add(static_cast<std::int64_t>(body_.size()));
  asio::async_write(socket_, asio::buffer(body_),
                    [self = self()](error_code error, std::size_t) { self->on_stream_written(error); });
}

void connection::on_stream_written(error_code error) {
  stream_writing_ = false;
  if (error || !socket_.is_open())
    return close();
  if (!stream_waiting_.empty())
    return write_stream();
  if (stream_ending_)
    close();
}

void connection::end_source() {
  if (const auto gone = std::exchange(source_, nullptr))
    gone->closed();
}

} // namespace credence::http
