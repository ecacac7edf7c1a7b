// The one place that knows Beast and Asio. Everything of a connection happens on the
// thread of its io_context; other threads reach it only through the queue of answers.
#include "http/server.hpp"

#include "config/limits.hpp"
#include "http/errors.hpp"
#include "http/framing.hpp"
#include "http/media.hpp"
#include "http/route_table.hpp"
#include "http/target.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace credence::http {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t read_size = 8 * 1024;
constexpr auto answer_tick = 50ms;
constexpr auto scan_every = 20; // ticks between looks at all connections
constexpr auto linger_time = 1s;
constexpr auto slow_body_grace = 5s;
constexpr std::int64_t body_bytes_per_second_min = 1024;
constexpr std::size_t target_length_max = 8 * 1024;

/// State that both listeners of one process share.
struct shared_state {
  explicit shared_state(services s) : with(std::move(s)), table(with.api) {}
  services with;
  route_table table;
  std::shared_ptr<gate> in_flight;
  std::atomic<std::uint32_t> connections{0};
  std::atomic<bool> draining{false};
  std::mutex guard; // taken when a connection comes or goes, never per request
  std::unordered_map<std::string, std::uint32_t> per_address;
};

enum class phase : std::uint8_t { idle, header, body, answering, writing, lingering };

} // namespace

class io_thread;

/// One client. Kept alive by its pending operation, and by the questions it has out.
class connection : public std::enable_shared_from_this<connection> {
public:
  connection(io_thread& home, tcp::socket socket, bool operator_side, std::string peer);
  ~connection();

  void start();
  /// An envelope of this connection has come back.
  void take_back(envelope_base& came);
  /// Looks at the clock; closes what is late.
  void check_deadlines(steady_time now);
  /// The question's answer is overdue.
  void answer_overdue();
  void close_when_idle();
  /// Answers 503 and closes: there are too many connections.
  void turn_away();

private:
  using parser_type = beast_http::request_parser<beast_http::string_body>;

  void read();
  void on_read(error_code error, std::size_t bytes);
  /// Works off what the buffer holds; reads more when that is not a whole request.
  void process();
  bool parse_header(error_code& error);
  void refuse_framing(const framing_error& why);
  void refuse_parse(error_code error);
  bool after_header();
  void handle();
  void handle_operator(std::string_view path);
  void health(std::string_view path, bool verbose);
  void preflight(const route_table::match& found);
  bool authenticate(access needed);
  void begin_call(std::string_view path);
  void finish();
  void build_head();
  void write();
  void on_written(error_code error);
  void linger();
  void close();
  void set_phase(phase next);
  std::string_view header(beast_http::field name) const;
  std::string_view request_id_given() const;

  io_thread& home_;
  tcp::socket socket_;
  std::string peer_;
  bool operator_side_;
  phase phase_ = phase::idle;
  steady_time phase_began_{};
  steady_time request_began_{};
  std::int64_t body_seen_ = 0;
  boost::beast::flat_buffer buffer_;
  std::optional<parser_type> parser_;
  bool header_checked_ = false;
  call call_;
  route_table::match found_;
  ops::route_metrics* metrics_ = nullptr;
  const route* route_ = nullptr;
  place in_flight_;
  std::string head_;
  std::string body_;
  std::string path_;
  std::string extra_head_;
  bool head_only_ = false;
  bool close_after_ = false;
  bool in_process_ = false;
  bool authenticated_ = false;
  std::uint32_t served_ = 0;
  std::shared_ptr<connection> alive_; // while questions are out
  bool waiting_ = false;              // in the thread's list of those who wait
  connection* waits_longer_ = nullptr;
  connection* waits_shorter_ = nullptr;
  friend class io_thread;
};

/// One thread with its io_context, its connections and its queue of answers.
class io_thread final : public answer_sink {
public:
  explicit io_thread(shared_state& with_all) : shared(with_all), timer_(context) {
    cards = shared.with.make_cards ? shared.with.make_cards() : nullptr;
    who = shared.with.make_authenticator ? shared.with.make_authenticator() : nullptr;
  }

  void run() {
    tick();
    context.run();
  }

  // Called from any thread.
  void deliver(envelope_base* answered) noexcept override {
    auto* head = answers_.load(std::memory_order_relaxed);
    do
      answered->next = head;
    while (!answers_.compare_exchange_weak(head, answered, std::memory_order_release,
                                           std::memory_order_relaxed));
    if (!head)
      asio::post(context, [this] { drain_answers(); });
  }

  // Connections that wait for an answer, the longest first. All wait equally long at
  // most, so a look at the front tells who is overdue.
  void await_answer(connection& who_waits);
  void has_answer(connection& who_waited);

  /// `Date` changes once a second; so does this text.
  std::string_view date() {
    const auto now = std::time(nullptr);
    if (now != date_at_) {
      date_at_ = now;
      std::tm parts{};
      ::gmtime_r(&now, &parts);
      char text[64];
      date_.assign(text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts));
    }
    return date_;
  }

  /// A request id nobody else has: a random prefix of the thread and a count.
  void append_request_id(std::string& out) {
    if (id_prefix_.empty()) {
      std::random_device dice;
      char text[24];
      std::snprintf(text, sizeof text, "%08x%04x", dice(), dice() & 0xFFFF);
      id_prefix_ = text;
    }
    char text[24];
    out.append(id_prefix_).append(text, static_cast<std::size_t>(
                                          std::snprintf(text, sizeof text, "%08llx", ++id_count_)));
  }

  void close_idle() {
    for (auto* each : std::vector<connection*>{connections.begin(), connections.end()})
      each->close_when_idle();
  }

  ~io_thread() {
    for (auto* list = answers_.exchange(nullptr); list;)
      std::exchange(list, list->next)->deref();
  }

  shared_state& shared;
  std::unordered_set<connection*> connections; // outlives the context and its handlers
  std::shared_ptr<user_cards> cards;
  std::unique_ptr<authenticator> who;
  asio::io_context context{1};

private:
  void drain_answers() {
    auto* list = answers_.exchange(nullptr, std::memory_order_acquire);
    envelope_base* in_order = nullptr;
    while (list) {
      auto* next = std::exchange(list, list->next);
      next->next = std::exchange(in_order, next);
    }
    while (in_order) {
      auto* came = std::exchange(in_order, in_order->next);
      static_cast<connection*>(static_cast<call*>(came->asker)->asker_)->take_back(*came);
      came->deref();
    }
  }

  void fail_overdue(steady_time now);

  void tick() {
    timer_.expires_after(answer_tick);
    timer_.async_wait([this](error_code error) {
      if (error)
        return;
      const auto now = steady_clock::now();
      fail_overdue(now);
      if (++ticks_ % scan_every == 0)
        for (auto* each : std::vector<connection*>{connections.begin(), connections.end()})
          each->check_deadlines(now);
      tick();
    });
  }

  asio::steady_timer timer_;
  std::atomic<envelope_base*> answers_{nullptr};
  connection* longest_waiting_ = nullptr;
  connection* last_waiting_ = nullptr;
  int ticks_ = 0;
  std::time_t date_at_ = 0;
  std::string date_;
  std::string id_prefix_;
  unsigned long long id_count_ = 0;
};

void io_thread::await_answer(connection& who_waits) {
  who_waits.waiting_ = true;
  who_waits.waits_longer_ = last_waiting_;
  who_waits.waits_shorter_ = nullptr;
  (last_waiting_ ? last_waiting_->waits_shorter_ : longest_waiting_) = &who_waits;
  last_waiting_ = &who_waits;
}

void io_thread::has_answer(connection& who_waited) {
  if (!std::exchange(who_waited.waiting_, false))
    return;
  (who_waited.waits_longer_ ? who_waited.waits_longer_->waits_shorter_ : longest_waiting_)
    = who_waited.waits_shorter_;
  (who_waited.waits_shorter_ ? who_waited.waits_shorter_->waits_longer_ : last_waiting_)
    = who_waited.waits_longer_;
}

void io_thread::fail_overdue(steady_time now) {
  while (longest_waiting_ && longest_waiting_->call_.deadline_ <= now) {
    const auto late = longest_waiting_->shared_from_this();
    late->answer_overdue(); // takes it off the list
  }
}

// -- a connection's life -------------------------------------------------------------

connection::connection(io_thread& home, tcp::socket socket, bool operator_side, std::string peer)
  : home_(home), socket_(std::move(socket)), peer_(std::move(peer)), operator_side_(operator_side),
    buffer_(home.shared.with.settings.header_bytes_max + home.shared.with.settings.body_bytes_max + read_size) {
  home_.connections.insert(this);
  call_.directory_ = home_.shared.with.actors;
  call_.settings_ = &home_.shared.with.settings;
  call_.cards_ = home_.cards.get();
  call_.sink_ = &home_;
  call_.asker_ = this;
  call_.answered_ = [](call& c) { static_cast<connection*>(c.asker_)->finish(); };
  ops::the_metrics().http.connections.add(1);
}

connection::~connection() {
  home_.connections.erase(this);
  ops::the_metrics().http.connections.add(-1);
  auto& shared = home_.shared;
  shared.connections.fetch_sub(1);
  const std::lock_guard lock{shared.guard};
  if (const auto found = shared.per_address.find(peer_); found != shared.per_address.end())
    if (--found->second == 0)
      shared.per_address.erase(found);
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
}

void connection::set_phase(phase next) {
  phase_ = next;
  phase_began_ = steady_clock::now();
}

void connection::read() {
  // The buffer never grows past its maximum: the parser's limits are below it.
  const auto room = std::min(read_size, buffer_.max_size() - buffer_.size());
  if (room == 0)
    return refuse_framing({431, "HEADER_TOO_LARGE", "the request does not fit the limits"});
  socket_.async_read_some(buffer_.prepare(room), [self = shared_from_this()](error_code error, std::size_t n) {
    self->on_read(error, n);
  });
}

void connection::on_read(error_code error, std::size_t bytes) {
  if (phase_ == phase::lingering) {
    buffer_.consume(buffer_.size());
    return error ? close() : read();
  }
  if (error)
    return close();
  ops::the_metrics().http.bytes_in.add(static_cast<std::int64_t>(bytes));
  buffer_.commit(bytes);
  process();
}

void connection::process() {
  if (std::exchange(in_process_, true))
    return; // an answer came while the handler still ran: the loop below goes on
  while (socket_.is_open() && (phase_ == phase::idle || phase_ == phase::header || phase_ == phase::body)) {
    if (phase_ == phase::idle) {
      if (buffer_.size() == 0) {
        if (home_.shared.draining.load(std::memory_order_relaxed)) {
          close();
          break;
        }
        read();
        break;
      }
      request_began_ = steady_clock::now();
      phase_ = phase::header;
      phase_began_ = request_began_;
      parser_.emplace();
      parser_->header_limit(static_cast<std::uint32_t>(home_.shared.with.settings.header_bytes_max));
      parser_->body_limit(home_.shared.with.settings.body_bytes_max);
      header_checked_ = false;
    }
    error_code error;
    const bool eager = header_checked_;
    parser_->eager(eager);
    const auto used = parser_->put(buffer_.data(), error);
    buffer_.consume(used);
    if (error == beast_http::error::need_more)
      error = {};
    if (error) {
      refuse_parse(error);
      break;
    }
    if (!header_checked_ && parser_->is_header_done()) {
      header_checked_ = true;
      if (!after_header())
        break;
      if (!parser_->is_done()) {
        set_phase(phase::body);
        body_seen_ = 0;
        if (buffer_.size() > 0)
          continue;
      }
    }
    if (parser_->is_done()) {
      set_phase(phase::answering);
      handle();
      continue; // the next pipelined request, when the answer is out already
    }
    if (used > 0 && buffer_.size() > 0)
      continue;
    body_seen_ += static_cast<std::int64_t>(used);
    read();
    break;
  }
  in_process_ = false;
}

void connection::refuse_parse(error_code error) {
  if (error == beast_http::error::header_limit)
    return refuse_framing({431, "HEADER_TOO_LARGE", "the header is larger than "
                                                      + std::to_string(home_.shared.with.settings.header_bytes_max)
                                                      + " bytes"});
  if (error == beast_http::error::body_limit || error == beast_http::error::buffer_overflow)
    return refuse_framing({413, "CONTENT_TOO_LARGE", "the body is larger than "
                                                       + std::to_string(home_.shared.with.settings.body_bytes_max)
                                                       + " bytes"});
  if (error == beast_http::error::bad_version)
    return refuse_framing({505, "HTTP_VERSION_NOT_SUPPORTED", "use HTTP/1.1"});
  refuse_framing({400, "BAD_REQUEST", "the request is malformed: " + error.message()});
}

/// Answers and closes: nobody can say where a next request would begin.
void connection::refuse_framing(const framing_error& why) {
  ops::the_metrics().http.framing_refused.add();
  begin_call({});
  close_after_ = true;
  set_phase(phase::answering);
  call_.error(why.status, why.code, why.message);
}

bool connection::after_header() {
  const auto& request = parser_->get();
  framing_fields what;
  what.version = request.version();
  what.method = {request.method_string().data(), request.method_string().size()};
  for (const auto& field : request) {
    ++what.fields;
    const std::string_view value{field.value().data(), field.value().size()};
    switch (field.name()) {
      case beast_http::field::host:
        ++what.host_count;
        what.host = value;
        break;
      case beast_http::field::transfer_encoding:
        ++what.transfer_encoding_count;
        what.transfer_encoding = value;
        break;
      case beast_http::field::content_length:
        ++what.content_length_count;
        what.content_length = value;
        break;
      case beast_http::field::expect:
        ++what.expect_count;
        what.expect = value;
        break;
      case beast_http::field::content_encoding: what.content_encoding = true; break;
      default: break;
    }
  }
  if (auto error = check_framing(what, home_.shared.with.settings.body_bytes_max)) {
    refuse_framing(*error);
    return false;
  }
  if (request.target().size() > target_length_max) {
    refuse_framing({414, "URI_TOO_LONG",
                    "the request target is longer than " + std::to_string(target_length_max) + " bytes"});
    return false;
  }
  if (what.expect_count == 1 && !parser_->is_done() && buffer_.size() == 0) {
    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    error_code ignored; // a client that cannot take these bytes will not send its body either
    socket_.write_some(asio::buffer(go_on), ignored);
  }
  return true;
}

std::string_view connection::header(beast_http::field name) const {
  const auto& request = parser_->get();
  const auto found = request.find(name);
  return found == request.end() ? std::string_view{}
                                : std::string_view{found->value().data(), found->value().size()};
}

std::string_view connection::request_id_given() const {
  const auto& request = parser_->get();
  const auto found = request.find("X-Request-Id");
  return found == request.end() ? std::string_view{}
                                : std::string_view{found->value().data(), found->value().size()};
}

namespace {

bool good_request_id(std::string_view id) {
  return !id.empty() && id.size() <= limits::request_id_length_max
         && std::all_of(id.begin(), id.end(), [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.'
                     || c == '_' || c == '-';
            });
}

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

} // namespace

void connection::begin_call(std::string_view path) {
  ++call_.turn_;
  call_.path_parts_.clear();
  call_.query_.clear();
  call_.body_ = {};
  call_.caller_.reset();
  call_.kept_.reset();
  call_.out_.clear();
  call_.status_ = 0;
  call_.retry_after_ = false;
  call_.content_type_ = "application/json";
  call_.v1_ = shape_for(path) == error_shape::v1;
  call_.started_ = request_began_;
  call_.deadline_ = steady_clock::now() + home_.shared.with.settings.answer_timeout;
  call_.request_id_.clear();
  metrics_ = nullptr;
  route_ = nullptr;
  extra_head_.clear();
  head_only_ = false;
  authenticated_ = false;
  if (parser_ && parser_->is_header_done())
    if (const auto given = request_id_given(); good_request_id(given))
      call_.request_id_ = given;
  if (call_.request_id_.empty())
    home_.append_request_id(call_.request_id_);
  ops::the_metrics().http.accepted.add();
}

void connection::handle() {
  auto& shared = home_.shared;
  const auto& request = parser_->get();
  const std::string_view target{request.target().data(), request.target().size()};
  const auto bound = shared.with.settings.requests_per_connection_max;
  close_after_ = !parser_->keep_alive() || (bound != 0 && ++served_ >= bound)
                 || shared.draining.load(std::memory_order_relaxed);
  const auto verb = request.method();
  const bool star = target == "*" && verb == beast_http::verb::options;
  const auto parts = split_target(star ? std::string_view{"/"} : target);
  begin_call(parts ? parts->path : std::string_view{});
  head_only_ = verb == beast_http::verb::head;
  if (!parts)
    return call_.refuse(parts.why());
  path_.assign(parts->path);
  in_flight_ = place{shared.in_flight};
  if (!in_flight_)
    return call_.fail(failure::overloaded);
  if (!accepts_json(header(beast_http::field::accept)) && !operator_side_)
    return call_.error(406, "NOT_ACCEPTABLE", "answers are application/json; accept that");
  if (path_ == "/livez" || path_ == "/readyz")
    return health(path_, operator_side_ && parts->query.starts_with("verbose"));
  if (operator_side_)
    return handle_operator(path_);

  shared.table.find(path_, found_);
  if (star || (verb == beast_http::verb::options && found_.found))
    return preflight(found_);
  if (!found_.found)
    return call_.error(404, "NOT_FOUND", "there is nothing at this path");
  const auto wanted = method_of(verb);
  if (!wanted && verb != beast_http::verb::options) {
    close_after_ = true;
    return call_.error(501, "NOT_IMPLEMENTED", "this method is not offered");
  }
  const auto* entry = wanted ? found_.by_method[static_cast<std::size_t>(*wanted)] : nullptr;
  if (!entry) {
    extra_head_ += "Allow: " + found_.allow() + "\r\n";
    return call_.error(405, "METHOD_NOT_ALLOWED", "this path takes " + found_.allow());
  }
  route_ = entry->what;
  metrics_ = entry->metrics;
  for (const auto& [name, value] : found_.parts) {
    auto decoded = percent_decode(value, false);
    if (!decoded)
      return call_.refuse(decoded.why());
    call_.path_parts_.emplace_back(name, *std::move(decoded));
  }
  if (!parts->query.empty()) {
    auto query = decode_query(parts->query);
    if (!query)
      return call_.refuse(query.why());
    call_.query_ = *std::move(query);
  }
  call_.body_ = request.body();
  if (*wanted != method::get && !call_.body_.empty() && !is_json(header(beast_http::field::content_type)))
    return call_.error(415, "UNSUPPORTED_MEDIA_TYPE", "send the body as Content-Type: application/json");
  if (!authenticate(route_->who))
    return;
  if (route_->writes && !shared.with.actors->storage->writable.load(std::memory_order_relaxed))
    return call_.fail(failure::unavailable);
  const auto turn = call_.turn_;
  const auto out_before = call_.questions_out_;
  route_->run(call_);
  if (call_.turn_ == turn && call_.status_ == 0) {
    if (call_.questions_out_ == out_before) { // a handler that neither answers nor asks is a bug
      ops::log(ops::level::error, "handler_without_answer", {{"route", route_->path}});
      return call_.error(500, "INTERNAL_SERVER_ERROR", "the request could not be handled");
    }
    alive_ = shared_from_this();
    home_.await_answer(*this);
  }
}

bool connection::authenticate(access needed) {
  const auto given = header(beast_http::field::authorization);
  if (given.empty()) {
    if (needed == access::open)
      return true;
    extra_head_ += "WWW-Authenticate: Bearer\r\n";
    call_.error(401, "UNAUTHORIZED", "send an access token: Authorization: Bearer <token>");
    return false;
  }
  authenticated_ = true;
  static constexpr std::string_view scheme = "bearer ";
  const bool bearer = given.size() > scheme.size()
                      && std::equal(scheme.begin(), scheme.end(), given.begin(), [](char want, char have) {
                           return want == (have >= 'A' && have <= 'Z' ? have + 32 : have);
                         });
  auto token = given.substr(bearer ? scheme.size() : 0);
  while (token.starts_with(' '))
    token.remove_prefix(1);
  auto who = bearer && home_.who ? home_.who->verify(token)
                                 : outcome<principal>{refusal{refusal_code::unauthenticated,
                                                              "the credential must be 'Bearer <token>'"}};
  if (!who) {
    extra_head_ += "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n";
    call_.refuse(who.why());
    return false;
  }
  if (needed == access::admin && !who->admin) {
    call_.refuse({refusal_code::forbidden, "only admins may do this"});
    return false;
  }
  call_.caller_ = *who;
  return true;
}

void connection::preflight(const route_table::match& found) {
  const auto allow = found.found ? found.allow() : std::string{"GET, HEAD, POST, DELETE, OPTIONS"};
  extra_head_ += "Allow: " + allow + "\r\n";
  if (!header(beast_http::field::access_control_request_method).empty())
    extra_head_ += "Access-Control-Allow-Methods: " + allow
                   + "\r\nAccess-Control-Allow-Headers: Authorization, Content-Type, X-Service-Client, "
                     "X-Service-Api-Key, X-Request-Id\r\nAccess-Control-Max-Age: 86400\r\n";
  call_.reply(204);
}

void connection::health(std::string_view path, bool verbose) {
  if (parser_->get().method() != beast_http::verb::get && !head_only_) {
    extra_head_ += "Allow: GET, HEAD\r\n";
    return call_.error(405, "METHOD_NOT_ALLOWED", "this path takes GET, HEAD");
  }
  if (path == "/livez") {
    call_.out() = R"({"ok":true})";
    return call_.reply(200);
  }
  bool ready = true;
  std::string checks;
  const auto add = [&](std::string_view name, bool holds) {
    ready = ready && holds;
    if (!holds || verbose)
      checks.append(checks.empty() ? "" : ",").append("\"").append(name).append("\":").append(holds ? "true" : "false");
  };
  for (const auto& check : home_.shared.with.readiness)
    add(check.name, check.holds());
  add("accepting", !home_.shared.draining.load(std::memory_order_relaxed));
  call_.out().append(R"({"ok":)").append(ready ? "true" : "false");
  if (!checks.empty())
    call_.out().append(R"(,"checks":{)").append(checks).append("}");
  call_.out() += '}';
  call_.retry_after_ = !ready;
  call_.reply(ready ? 200 : 503);
}

void connection::handle_operator(std::string_view path) {
  if (path != "/metrics")
    return call_.error(404, "NOT_FOUND", "this listener has /metrics, /livez and /readyz");
  if (parser_->get().method() != beast_http::verb::get && !head_only_) {
    extra_head_ += "Allow: GET, HEAD\r\n";
    return call_.error(405, "METHOD_NOT_ALLOWED", "this path takes GET, HEAD");
  }
  call_.out() = ops::the_metrics().render();
  call_.content_type_ = "text/plain; version=0.0.4; charset=utf-8";
  call_.reply(200);
}

// -- answers ---------------------------------------------------------------------------

void connection::take_back(envelope_base& came) {
  --call_.questions_out_;
  const auto self = call_.questions_out_ == 0 ? std::move(alive_) : alive_;
  if (came.asker_turn != call_.turn_ || call_.status_ != 0)
    return; // answered meanwhile: too late
  const auto out_before = call_.questions_out_;
  call_.on_answer_(call_, came);
  if (call_.questions_out_ > out_before)
    alive_ = shared_from_this(); // the handler asked on
}

void connection::answer_overdue() {
  ops::the_metrics().http.deadline_passed.add();
  call_.fail(failure::timed_out);
}

void connection::finish() {
  const auto took = steady_clock::now() - call_.started_;
  if (metrics_) {
    metrics_->status[std::min(call_.status_ / 100, 5u)].add();
    metrics_->latency.observe(took);
  }
  if (call_.status_ >= 500 || home_.shared.with.log_requests)
    ops::log(call_.status_ >= 500 ? ops::level::warn : ops::level::info, "request",
             {{"request_id", call_.request_id_},
              {"route", route_ ? route_->path : std::string_view{"-"}},
              {"status", static_cast<std::int64_t>(call_.status_)},
              {"ms", static_cast<double>(took.count()) / 1e6}});
  in_flight_.give_back();
  home_.has_answer(*this);
  close_after_ = close_after_ || home_.shared.draining.load(std::memory_order_relaxed);
  build_head();
  body_.clear();
  body_.swap(call_.out_);
  parser_.reset();
  set_phase(phase::writing);
  write();
}

void connection::build_head() {
  char number[32];
  head_.assign("HTTP/1.1 ");
  head_.append(number, static_cast<std::size_t>(std::snprintf(number, sizeof number, "%u ", call_.status_)));
  head_.append(reason_phrase(call_.status_)).append("\r\nDate: ").append(home_.date());
  if (call_.status_ != 204) {
    head_.append("\r\nContent-Type: ").append(call_.content_type_);
    head_.append("\r\nContent-Length: ");
    head_.append(number, static_cast<std::size_t>(
                           std::snprintf(number, sizeof number, "%zu", call_.out_.size())));
  }
  head_.append("\r\nX-Request-Id: ").append(call_.request_id_);
  head_.append("\r\nX-Content-Type-Options: nosniff\r\n");
  if (!operator_side_ && (!route_ || (route_->who == access::open && route_->verb == method::get)))
    head_.append("Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: X-Request-Id, Retry-After\r\n");
  if (authenticated_)
    head_.append("Cache-Control: no-store\r\n");
  if (call_.retry_after_)
    head_.append("Retry-After: 1\r\n");
  head_.append(extra_head_);
  if (close_after_)
    head_.append("Connection: close\r\n");
  head_.append("\r\n");
}

void connection::write() {
  const std::array<asio::const_buffer, 2> all{
    asio::buffer(head_), head_only_ ? asio::const_buffer{} : asio::buffer(body_)};
  error_code error;
  // Most answers fit the socket's buffer: written at once, without a turn of the loop.
  const auto sent = socket_.write_some(all, error);
  if (error && error != asio::error::would_block)
    return close();
  const auto total = asio::buffer_size(all);
  const auto done = error ? 0 : sent;
  ops::the_metrics().http.bytes_out.add(static_cast<std::int64_t>(total));
  if (done == total)
    return on_written({});
  const auto head_left = done < head_.size() ? asio::buffer(head_) + done : asio::const_buffer{};
  const auto body_left = all[1] + (done > head_.size() ? done - head_.size() : 0);
  asio::async_write(socket_, std::array<asio::const_buffer, 2>{head_left, body_left},
                    [self = shared_from_this()](error_code failed, std::size_t) { self->on_written(failed); });
}

void connection::on_written(error_code error) {
  if (error || !socket_.is_open())
    return close();
  if (close_after_)
    return linger();
  set_phase(phase::idle);
  process();
}

/// Says goodbye and reads what is still on its way for a moment, so that the
/// client gets the answer and not a reset.
void connection::linger() {
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  set_phase(phase::lingering);
  buffer_.consume(buffer_.size());
  read();
}

void connection::close() {
  error_code ignored;
  socket_.close(ignored);
}

void connection::close_when_idle() {
  if (phase_ == phase::idle || phase_ == phase::lingering)
    close();
}

void connection::check_deadlines(steady_time now) {
  const auto& settings = home_.shared.with.settings;
  const auto since = now - phase_began_;
  bool late = false;
  switch (phase_) {
    case phase::idle: late = since > settings.idle_timeout; break;
    case phase::header: late = now - request_began_ > settings.header_timeout; break;
    case phase::body: {
      const auto most = std::chrono::duration_cast<std::chrono::seconds>(since - slow_body_grace).count();
      late = now - request_began_ > settings.request_timeout
             || (since > slow_body_grace && body_seen_ < most * body_bytes_per_second_min);
      break;
    }
    case phase::answering: break; // has a deadline of its own
    case phase::writing: late = since > settings.write_timeout; break;
    case phase::lingering: late = since > linger_time; break;
  }
  if (!late)
    return;
  if (phase_ != phase::lingering && phase_ != phase::idle)
    ops::the_metrics().http.timeouts.add();
  if (phase_ == phase::header || phase_ == phase::body) {
    begin_call({});
    close_after_ = true;
    set_phase(phase::answering);
    return call_.error(408, "REQUEST_TIMEOUT", "the request did not arrive in time");
  }
  close();
}

// -- the listeners -----------------------------------------------------------------------

class server::impl {
public:
  explicit impl(services with) : shared_(std::move(with)) {
    auto& settings = shared_.with.settings;
    shared_.in_flight = std::make_shared<gate>(static_cast<std::int32_t>(settings.requests_in_flight_max));
    auto count = settings.io_threads;
    if (count == 0)
      count = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
    for (std::uint32_t i = 0; i < count; ++i)
      threads_.push_back(std::make_unique<io_thread>(shared_));
    public_.emplace(threads_[0]->context);
    operators_.emplace(threads_[0]->context);
    listen(*public_, settings.address, settings.port);
    listen(*operators_, settings.operator_address, settings.operator_port);
  }

  ~impl() { stop(); }

  void start() {
    accept(*public_, false);
    accept(*operators_, true);
    for (auto& each : threads_)
      running_.emplace_back([&each] { each->run(); });
  }

  bool drain(std::chrono::milliseconds most) {
    shared_.draining = true;
    asio::post(threads_[0]->context, [this] {
      error_code ignored;
      public_->close(ignored);
      operators_->close(ignored);
    });
    for (auto& each : threads_)
      asio::post(each->context, [&each] { each->close_idle(); });
    const auto until = steady_clock::now() + most;
    while (shared_.connections.load() > 0 && steady_clock::now() < until) {
      std::this_thread::sleep_for(10ms);
      for (auto& each : threads_)
        asio::post(each->context, [&each] { each->close_idle(); });
    }
    return shared_.connections.load() == 0;
  }

  void stop() {
    for (auto& each : threads_)
      each->context.stop();
    for (auto& each : running_)
      each.join();
    running_.clear();
  }

  std::uint16_t port() const { return public_->local_endpoint().port(); }
  std::uint16_t operator_port() const { return operators_->local_endpoint().port(); }

private:
  static void listen(tcp::acceptor& on, const std::string& address, std::uint16_t port) {
    error_code error;
    const auto ip = asio::ip::make_address(address, error);
    const tcp::endpoint at{ip, port};
    if (!error)
      on.open(at.protocol(), error);
    if (!error)
      on.set_option(tcp::acceptor::reuse_address{true}, error);
    if (!error)
      on.bind(at, error);
    if (!error)
      on.listen(4096, error);
    if (error)
      throw std::runtime_error("cannot listen on " + address + ":" + std::to_string(port) + ": " + error.message());
  }

  void accept(tcp::acceptor& on, bool operator_side) {
    auto& home = *threads_[next_++ % threads_.size()];
    on.async_accept(home.context, [this, &on, &home, operator_side](error_code error, tcp::socket socket) {
      if (!on.is_open())
        return;
      if (error) {
        // Out of descriptors, most likely: give others time to close theirs.
        auto pause = std::make_shared<asio::steady_timer>(threads_[0]->context, 20ms);
        pause->async_wait([this, &on, operator_side, pause](error_code) {
          if (on.is_open())
            accept(on, operator_side);
        });
        return;
      }
      admit(home, std::move(socket), operator_side);
      accept(on, operator_side);
    });
  }

  void admit(io_thread& home, tcp::socket socket, bool operator_side) {
    error_code error;
    const auto peer = socket.remote_endpoint(error).address().to_string();
    if (error)
      return;
    const auto& settings = shared_.with.settings;
    bool welcome = shared_.connections.fetch_add(1) < settings.connections_max;
    {
      const std::lock_guard lock{shared_.guard};
      welcome = ++shared_.per_address[peer] <= settings.connections_per_address_max && welcome;
    }
    if (!welcome)
      ops::the_metrics().http.refused_connections.add();
    asio::post(home.context, [&home, socket = std::move(socket), operator_side, peer, welcome]() mutable {
      auto fresh = std::make_shared<connection>(home, std::move(socket), operator_side, peer);
      if (welcome)
        fresh->start();
      else
        fresh->turn_away();
    });
  }

  shared_state shared_;
  std::vector<std::unique_ptr<io_thread>> threads_;
  std::vector<std::thread> running_;
  std::optional<tcp::acceptor> public_;
  std::optional<tcp::acceptor> operators_;
  std::size_t next_ = 0;
};

server::server(services with) : impl_(std::make_unique<impl>(std::move(with))) {}
server::~server() = default;
std::uint16_t server::port() const noexcept { return impl_->port(); }
std::uint16_t server::operator_port() const noexcept { return impl_->operator_port(); }
void server::start() { impl_->start(); }
bool server::drain(std::chrono::milliseconds most) { return impl_->drain(most); }
void server::stop() { impl_->stop(); }

} // namespace credence::http
