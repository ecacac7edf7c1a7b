#include "tests/http/server/small_server.hpp"

#include "actors/kernel/actor.hpp"
#include "http/call/coroutine.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace credence::http::test {

struct poke {
  using answer_type = std::string;
  std::string how;
};
struct let_go {};

namespace {

struct echo_door {
  using handle = actor_handle<poke, let_go>;
};

/// What the tests see of the actor; handlers are plain functions, so it is global.
struct backstage {
  door<echo_door> actor;
  std::mutex guard;
  std::condition_variable changed;
  std::size_t held = 0;
};
backstage& behind() {
  static backstage one;
  return one;
}

void set_held(std::size_t count) {
  const std::lock_guard lock{behind().guard};
  behind().held = count;
  behind().changed.notify_all();
}

class echo : public credence::actor {
public:
  static inline const char* name = "echo";
  using takes = echo_door::handle::takes;

  void start() {}
  void on(const credence::ask<poke>& question) {
    const auto& how = question->how;
    if (how == "now" || how == "twice")
      question.answer(std::string{"now"});
    else if (how == "refuse")
      question.answer(refusal{refusal_code::already_voted, "once is enough"});
    else if (how == "fail")
      question.fail(failure::too_many);
    else if (how.starts_with("hold")) {
      held_.push_back(question);
      set_held(held_.size());
    }
    // "drop": the question goes unanswered
  }
  void on(const let_go&) {
    for (const auto& each : held_)
      each.answer(each->how);
    held_.clear();
    set_held(0);
  }

private:
  std::vector<credence::ask<poke>> held_;
};

void say(call& c, std::string_view text) {
  c.out().append(R"({"said":")").append(text).append("\"}");
  c.reply();
}

void hello(call& c) {
  std::string text{c.path_part("name")};
  for (const auto& [key, value] : c.query())
    if (key == "times")
      text.append(" x").append(value);
  if (c.caller())
    text.append(" from ").append(std::to_string(c.caller()->profile.value));
  say(c, text);
}
void nobody(call& c) { say(c, "literal"); }
void echo_body(call& c) {
  c.out() = c.body();
  c.reply(200);
}
void origin(call& c) { say(c, c.origin_allowed() ? "allowed" : "not allowed"); }
void mine(call& c) { say(c, std::to_string(c.caller()->profile.value)); }
void throws(call& c) {
  c.out() = "half an ans";
  throw std::runtime_error("a bug");
}
void silent(call&) {}
void page_of_id(call& c) {
  const auto id = c.path_id<profile_id>("id");
  c.out() = "page " + std::to_string(id.value) + " x" + std::to_string(c.given().integer("times").value_or(1));
  c.reply_page();
}
void large(call& c) {
  c.out() = std::string(8u << 20, 'x');
  c.reply();
}
void answered(call& c, std::string& text) { say(c, text); }
void asks(call& c) {
  if (c.path_part("how") == "twice")
    c.ask(behind().actor, poke{"now"},
          [](call& again, std::string&) { again.ask(behind().actor, poke{"now"}, answered); });
  else
    c.ask(behind().actor, poke{std::string{c.path_part("how")}}, answered);
}

std::atomic<int> coroutines{0};

/// Counts a coroutine for as long as its frame is there.
struct counted {
  counted() { ++coroutines; }
  ~counted() { --coroutines; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
};

void asks_in_turn(call& c) {
  const counted here;
  poke first{std::string{c.path_part("first")}};
  poke then{std::string{c.path_part("then")}};
  if (first.how == "throw")
    throw std::runtime_error("a bug before the first question");
  const auto one = co_await c.ask(behind().actor, std::move(first));
  if (then.how == "throw")
    throw std::runtime_error("a bug after the first answer");
  const auto two = co_await c.outcome_of(behind().actor, std::move(then));
  say(c, one + " and " + (two ? *two : "no, " + two.why().detail));
}

/// Goes on whatever comes.
void tries_in_turn(call& c) {
  const counted here;
  poke first{std::string{c.path_part("first")}};
  poke then{std::string{c.path_part("then")}};
  const auto one = co_await c.try_ask(behind().actor, std::move(first));
  const auto two = co_await c.try_ask(behind().actor, std::move(then));
  const auto told = [](const std::optional<outcome<std::string>>& what) {
    if (!what)
      return std::string{"nothing"};
    return *what ? **what : "no, " + what->why().detail;
  };
  say(c, told(one) + " and " + told(two));
}

constexpr route table[]{
  {.verb = method::get,
   .path = "/api/v2/hello/{name}",
   .who = access::open,
   .may = scope::none,
   .run = hello,
   .by_query = "times,limit"},
  {method::get, "/api/v2/hello/nobody", access::open, scope::none, nobody},
  {method::post, "/api/v2/echo", access::open, scope::none, echo_body},
  {method::get, "/api/v2/mine", access::bearer, scope::none, mine},
  {method::post, "/api/v2/mine", access::bearer, scope::none, mine, needs::writing},
  {method::post, "/api/v2/admin", access::admin, scope::none, mine},
  {.verb = method::get,
   .path = "/api/v1/old",
   .who = access::bearer,
   .may = scope::none,
   .run = mine,
   .deprecated = "2025-08-08 2027-08-08",
   .successor = "GET /api/v2/mine"},
  {method::get, "/api/v2/ask/{how}", access::open, scope::none, asks},
  {method::post, "/api/v2/ask/{how}", access::open, scope::none, asks, needs::writing},
  {method::post, "/api/v2/look/{how}", access::open, scope::none, asks, needs::data, quota_class::read, "",
   effect::none},
  {method::get, "/api/v2/ask/{first}/{then}", access::open, scope::none, asks_in_turn},
  {method::get, "/api/v2/try/{first}/{then}", access::open, scope::none, tries_in_turn},
  {method::get, "/api/v2/throw", access::open, scope::none, throws},
  {method::get, "/api/v2/silent", access::open, scope::none, silent},
  {method::get, "/api/v2/large", access::open, scope::none, large},
  {.verb = method::get,
   .path = "/api/v2/page/{id}",
   .who = access::open,
   .may = scope::none,
   .run = page_of_id,
   .by_query = "times"},
  {method::get, "/api/v2/origin", access::open, scope::none, origin},
  {method::post, "/api/v2/lookup", access::open, scope::none, echo_body, needs::data, quota_class::read, "",
   effect::none},
  {method::get, "/api/v2/personal", access::open, scope::none, hello, needs::data, quota_class::derived, "",
   effect::of_verb, nullptr, false, true},
  {method::post, "/api/v2/key", access::open, scope::none, echo_body, needs::data, quota_class::wallet},
};

/// `seven` is profile 7, `admin` an admin, anything else nobody.
struct two_tokens final : authenticator {
  outcome<found_caller> find(credential_kind, std::string_view bearer) override {
    if (bearer == "seven")
      return found_caller{principal{profile_id{7}, false}};
    if (bearer == "admin")
      return found_caller{principal{profile_id{1}, true}};
    return refusal{refusal_code::unauthenticated, "the access token is not valid"};
  }
};

} // namespace

// -- the wire --------------------------------------------------------------------------------

wire::wire(std::uint16_t port, std::uint8_t host) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in from{};
  from.sin_family = AF_INET;
  from.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host);
  const auto as = reinterpret_cast<const sockaddr*>(&from);
  const bool there = host == 1 || ::bind(socket_, as, sizeof from) == 0; // any port
  if (!there)
    throw std::runtime_error("cannot speak from another address");
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval timeout{60, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  const int at_once = 1; // pieces leave as pieces
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    throw std::runtime_error("cannot connect to the server under test");
}

wire::~wire() { ::close(socket_); }

wire& wire::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0)
      break; // the server may close before it has read everything
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return *this;
}

wire& wire::end_of_input() {
  ::shutdown(socket_, SHUT_WR);
  return *this;
}

bool wire::fill() {
  char chunk[65536];
  const auto n = ::recv(socket_, chunk, sizeof chunk, 0);
  if (n > 0)
    buffer_.append(chunk, static_cast<std::size_t>(n));
  return n > 0;
}

bool wire::ended() {
  char one;
  return buffer_.empty() && ::recv(socket_, &one, 1, 0) == 0;
}

answer wire::next(bool to_head) {
  answer out;
  std::size_t end;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
    if (!fill())
      return out;
  const auto header = buffer_.substr(0, end + 2);
  buffer_.erase(0, end + 4);
  if (!header.starts_with("HTTP/1.1 "))
    return out;
  out.status = std::stoi(header.substr(9, 3));
  for (auto at = header.find("\r\n") + 2; at < header.size();) {
    const auto line_end = header.find("\r\n", at);
    const auto colon = header.find(": ", at);
    auto name = header.substr(at, colon - at);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    EXPECT_FALSE(out.has(name)) << "twice: " << name;
    out.headers[name] = header.substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  const auto length = to_head || !out.has("content-length") ? 0u : std::stoul(out.header("content-length"));
  while (buffer_.size() < length)
    if (!fill())
      return {};
  out.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return out;
}

std::string request(std::string_view method, std::string_view target, std::string_view more, std::string_view body) {
  std::string out;
  out.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n").append(more);
  if (!body.empty())
    out.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  return out.append("\r\n").append(body);
}

// -- the server ------------------------------------------------------------------------------

small_server::small_server() {
  how.port = 0;
  how.operator_port = 0;
  how.io_threads = 2;
  how.rate_limits = false;                       // tests ask often; those of the limits switch them on
  how.answer_timeout = std::chrono::seconds{60}; // what is held is answered when the test says so, however busy the
                                                 // machine is
  config_.set("scheduler.max-threads", std::size_t{1});
  system_ = std::make_unique<caf::actor_system>(config_);
  behind().actor = {echo_door::handle{spawn<echo>(*system_)}, bounds_by_itself{}};
  set_held(0);
  storage.writable = true;
  storage.owned_at_ns = store_status::for_good;
  actors.storage = &storage;
}

small_server::~small_server() {
  tell_to_end(behind().actor.who());
  behind().actor = {};
  system_.reset();
  server_.reset();
}

server& small_server::running() {
  if (server_)
    return *server_;
  services with;
  with.settings = how;
  with.actors = &actors;
  with.api = table;
  with.make_authenticator = [] { return std::make_unique<two_tokens>(); };
  with.readiness = readiness;
  with.may_open = may_open;
  with.standing_still = standing_still;
  with.refused_pause = refused_pause;
  server_ = std::make_unique<server>(std::move(with));
  server_->start();
  return *server_;
}

answer small_server::ask(const std::string& bytes, bool to_head) {
  wire one{port()};
  return one.send(bytes).next(to_head);
}

void small_server::expect_alive() {
  const auto came = get("/api/v2/hello/there");
  EXPECT_EQ(came.status, 200);
  EXPECT_EQ(came.body, R"({"said":"there"})");
}

void small_server::wait_for_held(std::size_t count) {
  std::unique_lock lock{behind().guard};
  ASSERT_TRUE(behind().changed.wait_for(lock, std::chrono::seconds{60}, [&] { return behind().held == count; }));
}

int small_server::handlers_under_way() { return coroutines; }

void small_server::release() { credence::send(behind().actor.to(), let_go{}); }

} // namespace credence::http::test
