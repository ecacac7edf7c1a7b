#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace credence::test {

/// Answers every request on loopback with what it was told last, as an identity provider does that
/// publishes its keys.
class key_server {
public:
  explicit key_server(std::string body);
  key_server(const key_server&) = delete;
  key_server& operator=(const key_server&) = delete;
  ~key_server();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/jwks.json"; }
  /// What is answered from now on; `head` is its status line with further fields.
  void answer(std::string body, std::string head = "200 OK");
  int requests() const noexcept { return requests_; }

private:
  void serve();
  void answer_one(int client);

  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::mutex guard_;
  std::string head_ = "200 OK";
  std::string body_;
  std::atomic<int> requests_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

} // namespace credence::test
