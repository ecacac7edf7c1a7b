#include "actors/idempotency/idempotency_actor.hpp"
#include "actors/kernel/writes.hpp"
#include "http/call/errors.hpp"
#include "http/call/media.hpp"
#include "http/call/target.hpp"
#include "http/server/connection.hpp"
#include "ops/client_counts.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "ops/standby.hpp"

#include <boost/asio/write.hpp>

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>

namespace credence::http {

// The answer to a request with an Idempotency-Key is kept before its client gets it.

bool connection::has_to_record() const noexcept {
  return call_.context_ && call_.context_->idempotent() && !answer_recorded_ && call_.status_ >= 200
         && call_.status_ < 300;
}

/// So that it will never get another one.
void connection::record_answer() {
  answer_recorded_ = true;
  const auto& context = *call_.context_;
  idempotency::record_answer question{
    {context.id(), context.fingerprint(), context.at(), static_cast<std::int32_t>(call_.status_), call_.out_}};
  const auto out_before = call_.questions_out_;
  // The context stays: nobody else goes on with this key meanwhile.
  call_.ask(call_.to().idempotency, std::move(question),
            [status = std::exchange(call_.status_, 0u),
             body = std::exchange(call_.out_, {})](call& c, const idempotency::recorded&) mutable {
              c.out() = std::move(body);
              c.reply(status);
            });
  after_handler(out_before);
}

namespace {

// From a request that has been read to the answer that is to be written.

void append_number(std::string& out, std::uint64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

} // namespace

// -- an answer of our own to what cannot be read -------------------------------------------

/// Answers and closes: nobody can say where a next request would begin.
void connection::refuse_and_close(const framing_error& why) {
  begin_call(reader_.header_done() ? reader_.head().target : std::string_view{});
  close_after_ = true;
  set_phase(phase::answering);
  call_.error(why.status, why.code, why.message);
  finish();
}

// -- a request -----------------------------------------------------------------------------

void connection::begin_call(std::string_view target) {
  call_.hear_no_more(); // what the last request asked
  call_.path_parts_.clear();
  call_.query_.clear();
  call_.forget_mistakes();
  call_.body_ = {};
  call_.caller_.reset();
  call_.context_.reset();
  call_.operated_by_.reset();
  call_.events_.reset();
  call_.timeout_.give_back();
  call_.route_ = nullptr;
  call_.taken_.reset();
  call_.asker_ = {};
  call_.database_time_ = {};
  answer_recorded_ = false;
  handled_ = false;
  packed_ = false;
  call_.out_.clear();
  if (call_.out_.capacity() < io_thread::buffer_bytes_min)
    call_.out_ = home_.take_buffer();
  call_.status_ = 0;
  call_.retry_after_s_ = 0;
  call_.no_store_ = false;
  call_.content_type_ = "application/json";
  call_.started_ = request_began_;
  call_.deadline_ = phase_began_ + home_.shared.with.settings.answer_timeout;
  const auto parts = split_target(target);
  call_.v1_ = parts && shape_for(parts->path) == error_shape::v1;
  const bool readable = reader_.header_done();
  call_.request_id_.clear();
  if (readable && good_request_id(reader_.head().request_id))
    call_.request_id_ = reader_.head().request_id;
  else
    home_.append_request_id(call_.request_id_);
  metrics_ = &home_.shared.unmatched;
  route_ = nullptr;
  call_.only_reads_ = false;
  entry_ = nullptr;
  admission_.begin(phase_began_, call_.request_id_);
  call_.extra_head_.clear();
  head_only_ = readable && reader_.head().head_only;
  pause_after_ = false;
  cors_ = side_ == listener::api;
  call_.origin_allowed_ = readable && cors_ && origin_listed();
  call_.partner_page_ = readable && cors_ && partner_listed();
  found_.found = false;
}

void connection::handle() {
  const auto& head = reader_.head();
  const auto bound = home_.shared.with.settings.requests_per_connection_max;
  ++served_;
  close_after_ = !head.keep_alive || (bound != 0 && served_ >= bound);
  ops::the_metrics().http.accepted.add();
  begin_call(head.target);
  const auto out_before = call_.questions_out_;
  guarded([this] { decide(); });
  after_handler(out_before);
}

template <class Work>
void connection::guarded(Work work) {
  try {
    work();
    if (!call_.thrown_)
      return;
    std::rethrow_exception(std::exchange(call_.thrown_, nullptr));
  } catch (const std::exception& error) {
    ops::log(ops::level::error, "handler_exception",
             {{"request_id", call_.request_id_}, {"route", metrics_->path}, {"error", error.what()}});
  } catch (...) {
    ops::log(ops::level::error, "handler_exception", {{"request_id", call_.request_id_}, {"route", metrics_->path}});
  }
  call_.status_ = 0; // what has been written may be half an answer
  call_.retry_after_s_ = 0;
  call_.content_type_ = "application/json";
  call_.error(500, fault_code(call_.v1_ ? error_shape::v1 : error_shape::v2), "the request could not be handled");
}

void connection::after_handler(std::int32_t out_before) {
  if (call_.questions_out_ > 0)
    alive_ = shared_from_this();
  if (call_.status_ == 0) {
    if (call_.questions_out_ > out_before) {
      if (call_.out_.empty() && call_.out_.capacity() > unsent_answers::small_bytes)
        home_.give_back(std::exchange(call_.out_, {})); // thousands may wait
      if (call_.timeout_) {                             // it is due later now
        home_.has_answer(*this);
        writing_.give_back();
      }
      home_.await_answer(*this);
      return;
    }
    ops::log(ops::level::error, "handler_without_answer",
             {{"request_id", call_.request_id_}, {"route", metrics_->path}});
    call_.error(500, fault_code(call_.v1_ ? error_shape::v1 : error_shape::v2), "the request could not be handled");
  }
  if (has_to_record())
    return record_answer();
  finish();
}

void connection::take_back(arrival& came) {
  --call_.questions_out_;
  const auto self = call_.questions_out_ == 0 ? std::move(alive_) : alive_;
  if (came.turn() != call_.turn_ || call_.status_ != 0)
    return; // answered meanwhile: too late
  call_.database_time_ += came.database_time();
  const auto out_before = call_.questions_out_;
  guarded([&] { came.hear(); });
  after_handler(out_before);
}

void connection::answer_overdue() {
  ops::the_metrics().http.deadline_passed.add();
  call_.fail(failure::timed_out);
  finish();
}

void connection::answer_lost() {
  call_.fail(failure::stranded);
  finish();
}

// -- the answer ------------------------------------------------------------------------------

/// Packs an answer for a client that takes gzip. Those that no cache may keep, or that are told to one caller alone,
/// hold secrets, whose size must not depend on what stands beside them (BREACH); the console's pages were packed when
/// it was built.
void connection::pack_answer() {
  const bool for_one = admission_.credential_came() && (!route_ || route_->who != access::open || route_->by_caller);
  if (side_ == listener::admin || call_.no_store_ || for_one || call_.events_ || call_.out_.size() < packer::bytes_min
      || !reader_.header_done() || !accepts_gzip(reader_.head().accept_encoding))
    return;
  auto packed = home_.pack(call_.out_);
  if (!packed)
    return;
  home_.give_back(std::exchange(call_.out_, *std::move(packed)));
  packed_ = true;
}

/// A large answer is written when there is room for it, and otherwise given up for a 503. What
/// may have had an effect is answered in any case.
void connection::hold_room_for_answer() {
  auto& shared = home_.shared;
  if (side_ != listener::api || head_only_ || call_.out_.size() <= unsent_answers::small_bytes)
    return;
  if (!call_.only_reads_)
    return unsent_.take_anyway(shared.unsent, call_.out_.capacity());
  if (unsent_.take(shared.unsent, admission_.client(), call_.out_.capacity()))
    return;
  ops::the_metrics().http.answers_refused.add();
  call_.out_ = {};
  packed_ = false;
  call_.extra_head_.clear();
  call_.content_type_ = "application/json";
  call_.status_ = 0;
  call_.fail(failure::overloaded);
  close_after_ = true;
}

void connection::finish() {
  if (rests_on_data() && !home_.shared.with.actors->storage->may_read()) {
    ops::the_metrics().http.not_owner.add();
    call_.status_ = 0;
    call_.extra_head_.clear();
    call_.content_type_ = "application/json";
    call_.fail(failure::not_owner);
  }
  call_.hear_no_more();
  call_.context_.reset(); // whatever effect the request has had, it has no more from here on
  call_.timeout_.give_back();
  if (side_ == listener::api)
    admission_.charge_work(call_.database_time_, call_.out_.size());
  if (call_.taken_ && call_.status_ >= 400 && call_.status_ < 500)
    call_.tell(call_.to().idempotency, idempotency::daily_given_back{call_.taken_->first, call_.taken_->second});
  pack_answer();
  hold_room_for_answer();
  record(steady_clock::now());
  in_flight_.give_back();
  writing_.give_back();
  if (buffer_.empty())
    early_since_.reset();
  home_.has_answer(*this);
  close_after_ = close_after_ || home_.shared.draining.load(std::memory_order_relaxed);
  if (head_only_)
    call_.events_.reset();
  close_after_ = close_after_ || call_.events_;
  build_head();
  body_.swap(call_.out_);
  if (head_only_)
    home_.give_back(std::exchange(body_, {}));
  reader_.clear();
  set_phase(phase::writing);
  write();
}

void connection::record(steady_time now) {
  const auto took = now - call_.started_;
  metrics_->status[std::min(call_.status_ / 100, 5u)].add();
  metrics_->latency.observe(took);
  if (side_ == listener::admin)
    tell_act();
  if (side_ == listener::api && reader_.header_done())
    ops::count_request(reader_.head().service_client, call_.status_, entry_ && entry_->deprecated);
  // 501 and 505 are the client's doing, and a standby refuses whatever asks whether it serves.
  const bool failed = call_.status_ == 500 || (call_.status_ == 503 && !ops::the_standby().on());
  if (failed ? home_.failures_logged.may_add(now) : home_.shared.with.log_requests)
    ops::log(failed ? ops::level::warn : ops::level::info, "request",
             {{"request_id", call_.request_id_},
              {"method", reader_.header_done() ? reader_.head().method_name : std::string_view{"-"}},
              {"route", metrics_->path},
              {"status", static_cast<std::int64_t>(call_.status_)},
              {"ms", std::chrono::duration<double, std::milli>(took).count()}});
}

/// Says whether the connection closes, or how long it is kept, so that no client or proxy sends a request at the moment
/// it ends.
void connection::append_how_it_goes_on() {
  if (close_after_) {
    head_.append("Connection: close\r\n");
    return;
  }
  head_.append("Connection: keep-alive\r\n");
  const auto kept = std::chrono::floor<std::chrono::seconds>(home_.shared.with.settings.idle_timeout);
  if (kept.count() == 0)
    return;
  head_.append("Keep-Alive: timeout=");
  append_number(head_, static_cast<std::uint64_t>(kept.count()));
  head_.append("\r\n");
}

void connection::build_head() {
  head_.assign("HTTP/1.1 ");
  append_number(head_, call_.status_);
  head_.append(" ").append(reason_phrase(call_.status_)).append("\r\nDate: ").append(home_.date());
  if (call_.status_ != 204 && call_.status_ != 304) {
    head_.append("\r\nContent-Type: ").append(call_.content_type_);
    if (packed_)
      head_.append("\r\nContent-Encoding: gzip");
    if (!call_.events_) { // else it ends with the connection
      head_.append("\r\nContent-Length: ");
      append_number(head_, call_.out_.size());
    }
  }
  head_.append("\r\nX-Request-Id: ").append(call_.request_id_);
  head_.append("\r\nX-Content-Type-Options: nosniff\r\n");
  append_origin();
  append_guards();
  admission_.append_standing(head_);
  if (call_.no_store_ || admission_.credential_came())
    head_.append("Cache-Control: no-store\r\n");
  if (call_.retry_after_s_ > 0) {
    head_.append("Retry-After: ");
    append_number(head_, call_.retry_after_s_);
    head_.append("\r\n");
  }
  if (entry_ && entry_->deprecated)
    head_.append(entry_->deprecation_head);
  head_.append(call_.extra_head_);
  append_how_it_goes_on();
  head_.append("\r\n");
}

// An answer that goes on until either side ends it.

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
