#include "http/server/connection.hpp"

#include "http/call/identity.hpp"
#include "http/server/operator_side.hpp"
#include "ops/metrics.hpp"

#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace credence::http {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t read_size = 8 * 1024;
constexpr auto linger_time = 1s;
constexpr int empty_lines_max = 4; // before a request

/// Sets a flag for as long as it lives.
class raised {
public:
  explicit raised(bool& flag) : flag_(flag) { flag_ = true; }
  ~raised() { flag_ = false; }
  raised(const raised&) = delete;
  raised& operator=(const raised&) = delete;

private:
  bool& flag_;
};

admission_rules rules_of(io_thread& home) {
  auto& shared = home.shared;
  const auto* with = shared.with.identity;
  return {shared.limits, shared.trusted_proxies, with ? std::string_view{with->access_cookie} : access_cookie_name,
          home.who(),    home.refusals_logged,   with ? &with->partners : nullptr};
}

} // namespace

asio::mutable_buffer byte_buffer::room(std::size_t wanted) {
  if (begin_ > 0) {
    std::memmove(memory_.data(), memory_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  wanted = std::min(wanted, most_ - end_);
  if (memory_.size() < end_ + wanted)
    memory_.resize(end_ + wanted);
  return {memory_.data() + end_, wanted};
}

connection::connection(io_thread& home, client_socket socket, listener side, const client_address& peer,
                       address_share place, std::atomic<std::uint32_t>* among)
  : home_(home), socket_(std::move(socket)), peer_address_(peer), among_(among), place_(std::move(place)), side_(side),
    // One header or one chunk of a body fits, with a read beyond; what needs more is refused.
    buffer_(std::max(home.shared.with.settings.header_bytes_max, home.shared.with.settings.body_bytes_max) + read_size),
    reader_(home.shared.with.settings.header_bytes_max, home.shared.with.settings.body_bytes_max),
    admission_(rules_of(home), reader_.head(), peer) {
  home_.add(*this);
  call_.directory_ = home_.shared.with.actors;
  call_.settings_ = &home_.shared.with.settings;
  call_.patients_ = home_.shared.patients;
  call_.identity_ = home_.shared.with.identity;
  call_.admin_context_ = side_ == listener::admin ? &home_.operators()->for_handlers() : nullptr;
  call_.cards_ = home_.caches().cards.get();
  call_.keys_ = home_.caches().keys.get();
  call_.sink_ = &home_;
  call_.turns_ = home_.own();
  call_.server_ = this;
  call_.head_ = &reader_.head();
  ops::the_metrics().http.connections.add(1);
}

connection::~connection() {
  home_.remove(*this);
  ops::the_metrics().http.connections.add(-1);
  if (among_)
    among_->fetch_sub(1);
  end_source();
}

void connection::start() {
  error_code ignored;
  socket_.set_option(tcp::no_delay{true}, ignored);
  socket_.non_blocking(true, ignored);
  set_phase(phase::idle);
  read();
}

void connection::turn_away() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  request_began_ = steady_clock::now();
  begin_call({});
  close_after_ = true;
  set_phase(phase::answering);
  call_.fail(failure::overloaded);
  finish();
}

void connection::set_phase(phase next) {
  phase_ = next;
  phase_began_ = steady_clock::now();
}

// -- bytes in ----------------------------------------------------------------------------

void connection::read() {
  if (reading_ || !socket_.is_open())
    return;
  const auto room = buffer_.room(read_size);
  if (room.size() == 0)
    return refuse_and_close({400, "BAD_REQUEST", "a part of the request is longer than any that is allowed"});
  reading_ = true;
  socket_.async_read_some(room, [self = self()](error_code error, std::size_t n) { self->on_read(error, n); });
}

void connection::on_read(error_code error, std::size_t bytes) {
  reading_ = false;
  if (error)
    return close();
  ops::the_metrics().http.bytes_in.add(static_cast<std::int64_t>(bytes));
  if (phase_ == phase::lingering || phase_ == phase::streaming) // what comes is not looked at
    return read();
  buffer_.commit(bytes);
  process();
}

/// An empty line before a request is none of it (RFC 9112, 2.2). False when there are too many:
/// who sends nothing else keeps the connection from being idle.
bool connection::skip_empty_lines() {
  while (buffer_.bytes().starts_with("\r\n")) {
    if (++empty_lines_ > empty_lines_max)
      return false;
    buffer_.consume(2);
  }
  return true;
}

/// Works off what the buffer holds, request after request; reads more when that is
/// not a whole one. While an answer is on its way nothing is taken from the buffer.
void connection::process() {
  if (processing_)
    return; // the answer was written at once: the loop below goes on
  const raised inside{processing_};
  while (socket_.is_open() && receiving()) {
    if (phase_ == phase::idle) {
      if (!skip_empty_lines()) {
        ops::the_metrics().http.framing_refused.add();
        request_began_ = steady_clock::now();
        return refuse_and_close({400, "BAD_REQUEST", "too many empty lines before a request"});
      }
      if (buffer_.empty() || buffer_.bytes() == "\r") {
        if (home_.shared.draining.load(std::memory_order_relaxed))
          return close();
        return read();
      }
      set_phase(phase::header);
      empty_lines_ = 0;
      request_began_ = phase_began_;
      reader_.begin();
    }
    const auto used = reader_.put(buffer_.bytes());
    buffer_.consume(used);
    if (phase_ == phase::body)
      pace_.came(used, steady_clock::now());
    if (reader_.error()) {
      ops::the_metrics().http.framing_refused.add();
      return refuse_and_close(*reader_.error());
    }
    if (reader_.done()) {
      set_phase(phase::answering);
      handle();
      continue;
    }
    if (phase_ == phase::header && reader_.header_done()) {
      set_phase(phase::body);
      pace_.begin();
      if (reader_.head().awaits_continue && buffer_.empty())
        send_continue();
    }
    if (used == 0 || buffer_.empty())
      return read();
  }
}

void connection::send_continue() {
  static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  error_code ignored; // a client that cannot take these bytes will not send its body either
  socket_.write_some(asio::buffer(go_on), ignored);
}

// -- bytes out ---------------------------------------------------------------------------

void connection::write() {
  std::array<asio::const_buffer, 2> all{asio::buffer(head_), head_only_ ? asio::const_buffer{} : asio::buffer(body_)};
  const auto total = asio::buffer_size(all);
  ops::the_metrics().http.bytes_out.add(static_cast<std::int64_t>(total));
  // Most answers fit the socket's buffer: written at once, without a turn of the loop.
  error_code error;
  auto sent = socket_.write_some(all, error);
  if (error == asio::error::would_block)
    sent = 0;
  else if (error)
    return close();
  if (sent == total)
    return on_written({});
  if (!unsent_.held()) { // a small one; its buffer may have been a large one's
    body_.shrink_to_fit();
    unsent_.take_anyway(home_.shared.unsent, body_.size());
    all[1] = head_only_ ? asio::const_buffer{} : asio::buffer(body_);
  }
  const auto rest_of_head = all[0] + std::min(sent, head_.size());
  const auto rest_of_body = all[1] + (sent > head_.size() ? sent - head_.size() : 0);
  asio::async_write(socket_, std::array<asio::const_buffer, 2>{rest_of_head, rest_of_body},
                    [self = self()](error_code failed, std::size_t) { self->on_written(failed); });
}

void connection::on_written(error_code error) {
  home_.give_back(std::exchange(body_, {}));
  unsent_.give_back();
  client_place_.give_back();
  if (error || !socket_.is_open())
    return close();
  if (call_.events_)
    return begin_stream();
  if (close_after_)
    return linger();
  if (pause_after_)
    return pause();
  set_phase(phase::idle);
  process();
}

/// Says goodbye and reads what is still on its way for a moment, so that the client
/// gets the answer and not a reset.
void connection::linger() {
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  set_phase(phase::lingering);
  buffer_.clear();
  read();
}

void connection::pause() {
  set_phase(phase::paused);
  home_.pause(shared_from_this());
}

void connection::resume() {
  if (!socket_.is_open())
    return;
  error_code unknown;
  if (!buffer_.empty() || socket_.available(unknown) > 0)
    early_since_ = phase_began_;
  set_phase(phase::idle);
  process();
}

void connection::close() {
  error_code ignored;
  socket_.close(ignored);
  end_source();
}

void connection::close_when_idle() {
  if (phase_ == phase::idle || phase_ == phase::paused || phase_ == phase::lingering || phase_ == phase::streaming)
    close();
}

void connection::check_deadlines(steady_time now) {
  if (!socket_.is_open())
    return;
  const auto& settings = home_.shared.with.settings;
  const auto since = now - phase_began_;
  bool late = false;
  switch (phase_) {
    case phase::idle: late = since > settings.idle_timeout; break;
    case phase::header: late = since > settings.header_timeout; break;
    case phase::body: late = now - request_began_ > settings.request_timeout || pace_.too_slow(now); break;
    case phase::answering:     // has a deadline of its own
    case phase::paused: break; // has an end of its own
    case phase::writing: late = since > settings.write_timeout; break;
    case phase::lingering: late = since > linger_time; break;
    case phase::streaming: late = stream_writing_ && since > settings.write_timeout; break;
  }
  if (!late)
    return;
  if (phase_ != phase::lingering)
    ops::the_metrics().http.timeouts.add();
  if (phase_ == phase::header || phase_ == phase::body)
    return refuse_and_close({408, "REQUEST_TIMEOUT", "the request did not arrive in time"});
  close();
}

} // namespace credence::http
