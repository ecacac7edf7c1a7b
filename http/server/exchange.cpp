// From a request that has been read to the answer that is to be written.
#include "http/server/connection.hpp"

#include "http/call/errors.hpp"
#include "http/call/parameters.hpp"
#include "http/call/repeats.hpp"
#include "http/call/target.hpp"
#include "http/server/media.hpp"
#include "http/server/request_weight.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace credence::http {

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
  ++call_.turn_;
  call_.path_parts_.clear();
  call_.query_.clear();
  call_.body_ = {};
  call_.caller_.reset();
  call_.kept_.reset();
  call_.note_.reset();
  answer_recorded_ = false;
  handled_ = false;
  to_check_.reset();
  unknown_.reset();
  unchecked_ = false;
  call_.out_.clear();
  if (call_.out_.capacity() < io_thread::buffer_bytes_min)
    call_.out_ = home_.take_buffer();
  call_.status_ = 0;
  call_.retry_after_s_ = 0;
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
  entry_ = nullptr;
  standing_ = {};
  credential_refused_.reset();
  session_over_ = false;
  call_.extra_head_.clear();
  head_only_ = readable && reader_.head().head_only;
  authenticated_ = false;
  pause_after_ = false;
  cors_ = !operator_side_;
  call_.origin_allowed_ = readable && !operator_side_ && origin_listed();
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
    return;
  } catch (const std::exception& error) {
    ops::log(ops::level::error, "handler_exception",
             {{"request_id", call_.request_id_}, {"route", metrics_->path}, {"error", error.what()}});
  } catch (...) {
    ops::log(ops::level::error, "handler_exception",
             {{"request_id", call_.request_id_}, {"route", metrics_->path}});
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
      if (!waiting_)
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

void connection::take_back(envelope_base& came) {
  --call_.questions_out_;
  const auto self = call_.questions_out_ == 0 ? std::move(alive_) : alive_;
  if (came.asker_turn != call_.turn_ || call_.status_ != 0)
    return; // answered meanwhile: too late
  const auto out_before = call_.questions_out_;
  guarded([&] { call_.on_answer_(call_, came); });
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

void connection::decide() {
  const auto& head = reader_.head();
  auto& shared = home_.shared;
  const bool star = head.options && head.target == "*";
  const auto target = split_target(star ? std::string_view{"/"} : head.target);
  if (operator_side_ && !for_operators())
    return call_.error(421, "MISDIRECTED_REQUEST", "this listener is called by an address, localhost or a name in http.operator_hosts, not "
                                                     + shown(head.host));
  if (target && (target->path == "/livez" || target->path == "/readyz"))
    return health(target->path, operator_side_ && target->query.starts_with("verbose"));
  if (operator_side_)
    return target ? decide_operator(target->path) : call_.refuse(target.why());
  in_flight_ = place{shared.in_flight};
  if (!in_flight_)
    return call_.fail(failure::overloaded);
  if (!take_place_of_client())
    return call_.fail(failure::overloaded);
  found_.found = false;
  if (target && !star)
    shared.table.find(target->path, found_);
  if (!head.options) {
    choose_route();
    if (!may_write())
      return;
    identify();
    if (!within_limits())
      return;
  }
  if (!target)
    return call_.refuse(target.why());
  if (!accepts_json(head.accept))
    return call_.error(406, "NOT_ACCEPTABLE", "answers are application/json; accept that");
  if (star) {
    call_.extra_head_ += "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n";
    return call_.reply(204);
  }
  if (!found_.found)
    return call_.error(404, "NOT_FOUND", "there is nothing at " + shown(target->path));
  if (head.options)
    return preflight();
  decide_at(*target);
}

/// The route, where the path has one for the method.
void connection::choose_route() {
  const auto& head = reader_.head();
  entry_ = found_.found && head.verb ? found_.by_method[static_cast<std::size_t>(*head.verb)] : nullptr;
  if (!entry_)
    return;
  route_ = entry_->what;
  metrics_ = entry_->metrics;
  cors_ = open_to_all_origins(*route_);
  if (entry_->deprecated)
    entry_->deprecated->clients.add(head.service_client);
}

void connection::decide_at(const target_parts& target) {
  const auto& head = reader_.head();
  if (!head.verb) {
    close_after_ = true;
    return call_.error(501, "NOT_IMPLEMENTED", "this method is not offered");
  }
  if (!entry_) {
    const auto allow = found_.allow();
    call_.extra_head_.append("Allow: ").append(allow).append("\r\n");
    return call_.error(405, "METHOD_NOT_ALLOWED", "this path takes " + allow);
  }
  run_route(target);
}

void connection::run_route(const target_parts& target) {
  for (const auto& [name, value] : found_.parts) {
    auto decoded = percent_decode(value, false);
    if (!decoded)
      return call_.refuse(decoded.why());
    call_.path_parts_.emplace_back(name, *std::move(decoded));
  }
  if (!target.query.empty()) {
    auto query = decode_query(target.query);
    if (!query)
      return call_.refuse(query.why());
    call_.query_ = *std::move(query);
  }
  if (route_->verb != method::get) { // a GET's body has no meaning (RFC 9110, 9.3.1)
    call_.body_ = reader_.body();
    if (!call_.body_.empty() && !is_json(reader_.head().content_type))
      return call_.error(415, "UNSUPPORTED_MEDIA_TYPE", "send the body as Content-Type: application/json");
  }
  const bool to_find = unknown_ && !unknown_->has_no_profile; // who it is decides on what they may do
  if (!to_find && !authenticate(route_->who))
    return;
  if (const auto why = closed_for(route_->first))
    return call_.fail(*why);
  if (to_check_)
    return check_credential();
  if (to_find)
    return find_profile();
  run_admitted();
}

namespace {

bool runs_dry(const route& which, const query_map& query) {
  return which.dry_runs
         && std::find(query.begin(), query.end(), std::pair<std::string, std::string>{"dryRun", "true"}) != query.end();
}

} // namespace

/// Who calls is known by now, and every way to a handler leads through here: whether they may,
/// and the handler, unless the request was answered before.
void connection::run_admitted() {
  handled_ = true;
  if (route_->who == access::admin && !call_.caller_->admin)
    return call_.refuse({refusal_code::forbidden, "only admins may do this, with an access token"});
  if (call_.caller_ && !call_.caller_->may(route_->may))
    return call_.refuse({refusal_code::scope_missing, "this API key was made without the scope '"
                                                        + std::string{name_of(route_->may)} + "', which this needs"});
  if (only_reads())
    if (const auto weight = weight_of(call_.query_, call_.body_); weight > 1 && !within_limits(weight - 1))
      return;
  if (route_->does == effect::audited)
    call_.carry(std::make_shared<const write_note>(origin_of_request()));
  if (route_->again && call_.caller_ && reader_.head().idempotency_key_count > 0 && !runs_dry(*route_, call_.query_))
    return claim_repeatable(call_, std::to_string(call_.caller_->profile.value), route_->run, route_->again);
  route_->run(call_);
}

/// Why the request cannot be taken right now, if so.
std::optional<failure> connection::closed_for(needs what) {
  auto& shared = home_.shared;
  if (what == needs::nothing)
    return std::nullopt;
  if (!shared.opened.load(std::memory_order_relaxed)) {
    if (shared.with.may_open && !shared.with.may_open())
      return failure::unavailable;
    shared.opened.store(true, std::memory_order_relaxed); // what has been read stays
  }
  const auto& storage = *shared.with.actors->storage;
  if (what == needs::writing && storage.clock.load(std::memory_order_relaxed) != clock_verdict::good)
    return failure::clock_wrong;
  if (what == needs::writing && !storage.writable.load(std::memory_order_relaxed))
    return failure::unavailable;
  if (storage.may_read())
    return std::nullopt;
  ops::the_metrics().http.not_owner.add();
  return failure::not_owner;
}

/// Whether the answer tells what is in memory or database, and may be out of date by now. That
/// something was written is true for ever.
bool connection::rests_on_data() const noexcept {
  if (!handled_ || route_->first == needs::nothing || call_.status_ >= 500)
    return false;
  const bool may_have_written = route_->verb != method::get && route_->does == effect::of_verb;
  return !may_have_written || call_.status_ >= 300;
}

// -- what is built in ------------------------------------------------------------------------

void connection::health(std::string_view path, bool verbose) {
  if (reader_.head().verb != method::get) {
    call_.extra_head_ += "Allow: GET, HEAD\r\n";
    return call_.error(405, "METHOD_NOT_ALLOWED", "this path takes GET, HEAD");
  }
  if (path == "/livez") {
    const auto& with = home_.shared.with;
    const auto still = with.standing_still ? with.standing_still() : std::string{};
    if (still.empty()) {
      call_.out() = R"({"ok":true})";
      return call_.reply(200);
    }
    call_.out().append(R"({"ok":false,"standingStill":")").append(still).append("\"}");
    call_.retry_after_s_ = 1;
    return call_.reply(503);
  }
  bool ready = true;
  std::string checks;
  const auto add = [&](std::string_view name, bool holds) {
    ready = ready && holds;
    if (!holds || verbose)
      checks.append(checks.empty() ? "\"" : ",\"").append(name).append(holds ? "\":true" : "\":false");
  };
  for (const auto& check : home_.shared.with.readiness)
    add(check.name, check.holds());
  add("accepting", !home_.shared.draining.load(std::memory_order_relaxed));
  call_.out().append(ready ? R"({"ok":true)" : R"({"ok":false)");
  if (!checks.empty())
    call_.out().append(R"(,"checks":{)").append(checks).append("}");
  call_.out() += '}';
  call_.retry_after_s_ = ready ? 0 : 1;
  call_.reply(ready ? 200 : 503);
}

void connection::decide_operator(std::string_view path) {
  if (path != "/metrics")
    return call_.error(404, "NOT_FOUND", "this listener has /metrics, /livez and /readyz");
  if (reader_.head().verb != method::get) {
    call_.extra_head_ += "Allow: GET, HEAD\r\n";
    return call_.error(405, "METHOD_NOT_ALLOWED", "this path takes GET, HEAD");
  }
  auto& metrics = ops::the_metrics();
  metrics.http.unsent_bytes.set(home_.shared.unsent.bytes());
  metrics.http.in_flight.set(home_.shared.in_flight->inside());
  if (const auto* storage = home_.shared.with.actors->storage) {
    metrics.store.queued.set(storage->queued.load(std::memory_order_relaxed));
    metrics.store.lease_age_ms.set(std::chrono::floor<std::chrono::milliseconds>(storage->lease_age()).count());
  }
  call_.out() = metrics.render();
  call_.content_type_ = "text/plain; version=0.0.4; charset=utf-8";
  call_.reply(200);
}

// -- the answer ------------------------------------------------------------------------------

bool connection::only_reads() const noexcept {
  return route_ && (route_->verb == method::get || route_->does == effect::none);
}

/// A large answer is written when there is room for it, and otherwise given up for a 503. What
/// may have had an effect is answered in any case.
void connection::hold_room_for_answer() {
  auto& shared = home_.shared;
  if (operator_side_ || head_only_ || call_.out_.size() <= unsent_answers::small_bytes)
    return;
  if (!only_reads())
    return unsent_.take_anyway(shared.unsent, call_.out_.capacity());
  if (unsent_.take(shared.unsent, client(), call_.out_.capacity()))
    return;
  ops::the_metrics().http.answers_refused.add();
  call_.out_ = {};
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
  call_.note_.reset(); // the request has no effect any more that it has not had
  hold_room_for_answer();
  record(steady_clock::now());
  in_flight_.give_back();
  writing_.give_back();
  if (buffer_.empty())
    early_since_.reset();
  home_.has_answer(*this);
  close_after_ = close_after_ || home_.shared.draining.load(std::memory_order_relaxed);
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
  const bool failed = call_.status_ == 500 || call_.status_ == 503; // 501 and 505 are the client's doing
  if (failed ? home_.may_log_failure(now) : home_.shared.with.log_requests)
    ops::log(failed ? ops::level::warn : ops::level::info, "request",
             {{"request_id", call_.request_id_},
              {"method", reader_.header_done() ? reader_.head().method_name : std::string_view{"-"}},
              {"route", metrics_->path},
              {"status", static_cast<std::int64_t>(call_.status_)},
              {"ms", std::chrono::duration<double, std::milli>(took).count()}});
}

void connection::build_head() {
  head_.assign("HTTP/1.1 ");
  append_number(head_, call_.status_);
  head_.append(" ").append(reason_phrase(call_.status_)).append("\r\nDate: ").append(home_.date());
  if (call_.status_ != 204) {
    head_.append("\r\nContent-Type: ").append(call_.content_type_).append("\r\nContent-Length: ");
    append_number(head_, call_.out_.size());
  }
  head_.append("\r\nX-Request-Id: ").append(call_.request_id_);
  head_.append("\r\nX-Content-Type-Options: nosniff\r\n");
  append_origin();
  append_standing();
  if (authenticated_)
    head_.append("Cache-Control: no-store\r\n");
  if (call_.retry_after_s_ > 0) {
    head_.append("Retry-After: ");
    append_number(head_, call_.retry_after_s_);
    head_.append("\r\n");
  }
  if (entry_ && entry_->deprecated)
    head_.append(entry_->deprecation_head);
  head_.append(call_.extra_head_);
  if (close_after_)
    head_.append("Connection: close\r\n");
  else if (reader_.header_done() && reader_.head().version == 10)
    head_.append("Connection: keep-alive\r\n");
  head_.append("\r\n");
}

} // namespace credence::http
