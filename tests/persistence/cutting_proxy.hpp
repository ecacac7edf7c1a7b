#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace credence::test {

/// Stands between a client and PostgreSQL's socket. Once armed it lets the next
/// statement batch through to the server, waits for the answer, and then closes the
/// client's connection without passing the answer on: committed, but unheard.
class cutting_proxy {
public:
  /// `behind`: directory of the server's socket.
  explicit cutting_proxy(const std::string& behind);
  cutting_proxy(const cutting_proxy&) = delete;
  cutting_proxy& operator=(const cutting_proxy&) = delete;
  ~cutting_proxy();

  /// Connection string that goes through here instead of straight to the server.
  std::string through(const std::string& url) const;
  void cut_next_answer() { armed_ = true; }
  int cuts() const noexcept { return cuts_; }

private:
  void serve();
  void pass(int client) const;

  std::string directory_;
  std::string behind_;
  int listening_ = -1;
  std::atomic<bool> stopping_{false};
  mutable std::atomic<bool> armed_{false};
  mutable std::atomic<int> cuts_{0};
  std::thread thread_;
};

} // namespace credence::test
