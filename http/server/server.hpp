#pragma once

#include "http/call/route.hpp"
#include "http/callers/token_authenticator.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace credence::http {

class known_keys;
class operator_side;
class user_cards;
struct front_controls;
struct identity;
struct services;

/// One thing that must hold before traffic is welcome.
struct readiness_check {
  std::string name;
  std::function<bool()> holds; // called from I/O threads; must not block
};

/// What handlers keep from one request to the next, for each I/O thread; null: nothing.
struct thread_caches {
  std::shared_ptr<user_cards> cards;
  std::shared_ptr<known_keys> keys;
};

/// What the servers share. All of it outlives them.
struct services {
  settings::http settings;
  bool log_requests = false;
  const directory* actors = nullptr;
  caf::actor_system* actor_system = nullptr; // of theirs: I/O threads run some of them; null: none
  std::span<const route> api;
  const http::identity* identity = nullptr;                           // where handlers make credentials
  std::function<std::unique_ptr<authenticator>()> make_authenticator; // one per I/O thread
  std::function<thread_caches()> make_caches;                         // one per I/O thread
  std::vector<readiness_check> readiness;
  /// What of the process stands still, by name; empty while it is alive, as /livez says. Called
  /// from I/O threads; must not block.
  std::function<std::string()> standing_still;
  /// The API answers 503 until this holds for the first time. Called from I/O threads.
  std::function<bool()> may_open;
  /// For so long nothing is read from a connection whose write was refused for lack of room.
  /// Well below the Retry-After that it was told.
  std::chrono::milliseconds refused_pause{100};
  settings::console console;
  std::string log_level = "info"; // as configured
  /// Makes what is behind the admin listener; null: there is none.
  std::function<std::unique_ptr<operator_side>(const services&, front_controls)> make_operator_side;
  std::span<const route> admin_api = {};
};

/// The HTTP/1.1 front: a public listener with the API, /livez and /readyz, an operator listener with /metrics, /livez
/// and /readyz?verbose, and an admin listener with the operator console and its API. The latter two have a thread each
/// of their own, so that they tell the truth whatever the others do.
class server {
public:
  /// Binds all listeners; throws std::runtime_error that names the address when one
  /// is taken. Serves from `start` on.
  explicit server(services with);
  /// Waits a moment for questions that actors still hold. End the actor system first:
  /// then there are none.
  ~server();

  std::uint16_t port() const noexcept;
  std::uint16_t operator_port() const noexcept;
  std::uint16_t admin_port() const noexcept; // 0: there is no such listener

  void start();
  /// Stops accepting, answers what is in flight with `Connection: close`, closes idle
  /// connections; true when all were done in time.
  bool drain(std::chrono::milliseconds most);
  /// Answers 503 to everybody who waits for an actor.
  void fail_waiting();
  /// Threads that serve, and how often each has gone round: it grows while the thread goes on.
  std::size_t threads() const noexcept;
  std::uint64_t turns(std::size_t thread) const noexcept;
  std::string thread_name(std::size_t thread) const;
  /// Ends the I/O threads; open connections are cut.
  void stop();

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace credence::http
