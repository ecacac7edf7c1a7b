#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace credence::test {

/// Stands between clients and PostgreSQL's socket. Once armed it cuts the connection that
/// brings the next batch of changes.
class cutting_proxy {
public:
  enum class moment {
    before, // nothing of the batch reaches the server
    middle, // half of its bytes do
    after,  // all do, and the server's answer is thrown away: committed, but unheard
  };

  /// `behind`: directory of the server's socket.
  explicit cutting_proxy(const std::string& behind);
  cutting_proxy(const cutting_proxy&) = delete;
  cutting_proxy& operator=(const cutting_proxy&) = delete;
  ~cutting_proxy();

  /// Connection string that goes through here instead of straight to the server.
  std::string through(const std::string& url) const;
  void cut_next(moment when) {
    when_ = when;
    armed_ = true;
  }
  /// Not the next one, either.
  void cut_none() { armed_ = false; }
  int cuts() const noexcept { return cuts_; }

private:
  void serve();
  void pass(int client);

  std::string directory_;
  std::string behind_;
  int listening_ = -1;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> armed_{false};
  std::atomic<moment> when_{moment::after};
  std::atomic<int> cuts_{0};
  std::vector<std::thread> passing_; // of the serving thread
  std::thread thread_;
};

} // namespace credence::test
