#pragma once

#include "tests/http/outside/post_server.hpp"

#include <utility>

namespace credence::test {

/// Answers every request on loopback with what it was told last, as an identity provider does that
/// publishes its keys.
class key_server {
public:
  explicit key_server(std::string body) { answer(std::move(body)); }

  std::string url() const { return server_.url() + "/jwks.json"; }
  /// What is answered from now on; `head` is its status line with further fields.
  void answer(std::string body, std::string head = "200 OK") { server_.otherwise(std::move(body), std::move(head)); }
  int requests() const { return static_cast<int>(server_.requests()); }

private:
  post_server server_;
};

} // namespace credence::test
