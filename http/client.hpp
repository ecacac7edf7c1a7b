#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

namespace credence::http {

/// Why a request brought no answer.
class client_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct client_answer {
  int status = 0;
  std::chrono::seconds retry_after{0}; // of Retry-After; 0: it was not there
  std::string body;
};

/// Asks other servers; keeps its connection between requests. Belongs to one thread.
class client {
public:
  explicit client(std::chrono::milliseconds timeout);
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client();

  /// GET with an optional bearer token; says in X-Service-Client that it is credence. Follows no redirect and reads at most 16 MiB.
  /// Throws `client_error`.
  client_answer get(const std::string& url, const std::string& bearer = {});

private:
  struct handle;
  std::unique_ptr<handle> handle_;
};

} // namespace credence::http
