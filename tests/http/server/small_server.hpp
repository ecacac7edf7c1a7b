#pragma once

#include "actors/kernel/writes.hpp"
#include "http/server/server.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <gtest/gtest.h>

#include <map>
#include <string_view>

namespace credence::http::test {

/// An answer as it came over the wire. `status` 0: none came.
struct answer {
  int status = 0;
  std::map<std::string, std::string> headers; // names in lower case
  std::string body;
  bool has(const std::string& name) const { return headers.contains(name); }
  std::string header(const std::string& name) const { return has(name) ? headers.at(name) : ""; }
};

/// One connection to loopback, over which a test sends whatever bytes it likes.
class wire {
public:
  /// From 127.0.0.`host`.
  explicit wire(std::uint16_t port, std::uint8_t host = 1);
  ~wire();
  wire(const wire&) = delete;
  wire& operator=(const wire&) = delete;

  wire& send(std::string_view bytes);
  /// No more will be sent; answers can still be read.
  wire& end_of_input();
  answer next(bool to_head = false);
  /// True once the server has closed, with nothing more to read before that.
  bool ended();

private:
  bool fill();
  int socket_;
  std::string buffer_;
};

/// Text of a request; `more` are header lines that end in CRLF.
std::string request(std::string_view method, std::string_view target, std::string_view more = "",
                    std::string_view body = "");

/// A server with a small table of routes of its own and an actor that answers when
/// told to: no database, no product behind it.
///   GET  /api/v2/hello/{name}   open     greets, with `?times=` as given and the caller
///   GET  /api/v2/hello/nobody   open     a literal beside a name
///   POST /api/v2/echo           open     answers with the body
///   GET  /api/v2/mine           bearer   the caller's id
///   POST /api/v2/mine           bearer   a write
///   POST /api/v2/admin          admin
///   GET  /api/v1/old            bearer   for the shape of errors
///   GET  /api/v2/ask/{how}      open     asks the actor: now, hold…, drop, fail, refuse, twice
///   POST /api/v2/ask/{how}      open     the same as a write
///   GET  /api/v2/ask/{first}/{then}  open  asks the actor the first and then the other, by a coroutine which
///                                   says what becomes of both; throws where one of them is `throw`
///   GET  /api/v2/origin         open     whether the origin may call with credentials
///   POST /api/v2/key            open     of the class wallet
///   POST /api/v2/lookup         open     a read, answers with the body
///   GET  /api/v2/personal       open     depends on the caller
///   GET  /api/v2/page/{id}      open     a page; reads the id, and `?times=` as a number, and does not look whether
///                                   they are right
///   GET  /api/v2/throw, /api/v2/silent, /api/v2/large
struct small_server : testing::Test {
  small_server();
  ~small_server() override;

  /// Settings, and what else the server takes at its start; to be changed before its first use.
  settings::http how;
  std::vector<readiness_check> readiness;
  std::function<bool()> may_open;
  std::function<std::string()> standing_still;
  std::chrono::milliseconds refused_pause{500};
  /// The server, which starts when it is first asked for: by a request, or for its port.
  server& running();

  answer ask(const std::string& bytes, bool to_head = false);
  answer get(std::string_view target, std::string_view more = "") { return ask(request("GET", target, more)); }
  std::uint16_t port() { return running().port(); }
  /// The service still answers as it should.
  void expect_alive();

  /// Waits until the actor holds that many questions.
  void wait_for_held(std::size_t count);
  /// Answers the questions that are held.
  void release();
  /// How many handlers of `/api/v2/ask/{first}/{then}` have not ended.
  static int handlers_under_way();

  store_status storage;
  directory actors;

private:
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  std::unique_ptr<server> server_;
};

} // namespace credence::http::test
