#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace credence::http {

/// Why a request brought no answer.
class client_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// An answer's body is longer than the bound.
class body_too_long : public client_error {
public:
  using client_error::client_error;
};

struct client_answer {
  int status = 0;
  std::chrono::seconds retry_after{0}; // of Retry-After; 0: it was not there
  std::int64_t rate_limit_reset = 0;   // of X-Rate-Limit-Reset, seconds since 1970; 0: it was not there
  std::string body;
};

/// Asks other servers; keeps its connection between requests. Belongs to one thread.
class client {
public:
  struct bounds {
    std::chrono::milliseconds timeout{}; // of a whole request
    std::size_t body_bytes_max = 16 * 1024 * 1024;
    bool by_proxy = false;                       // one that the environment names (https_proxy)
    const std::atomic<bool>* given_up = nullptr; // once true, a request ends within a second
  };

  explicit client(const bounds& within);
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client();

  /// GET with an optional bearer token; says in X-Service-Client that it is credence. Follows no redirect and
  /// reads no body beyond the bound. Throws `client_error`.
  client_answer get(const std::string& url, const std::string& bearer = {});

  /// POST of a JSON text, likewise. As a path may hold a key, an error names the origin alone.
  client_answer post(const std::string& url, const std::string& json);

private:
  struct handle;
  client_answer perform(const std::string& url, const std::string& shown);
  std::unique_ptr<handle> handle_;
};

} // namespace credence::http
