#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace credence::test {

/// Answers on loopback as the API of X does, by path, each request on a thread of its own; what is not
/// set up gets an empty timeline. It can keep answers back until told otherwise.
class post_server {
public:
  post_server();
  post_server(const post_server&) = delete;
  post_server& operator=(const post_server&) = delete;
  ~post_server();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  /// What requests for this path (without its query) are answered from now on; `head` is the status line with
  /// further fields.
  void answer(const std::string& path, std::string body, std::string head = "200 OK");
  /// The same for the timeline of an account: one post of that text, with an id of its own.
  void post(const std::string& account, const std::string& text);
  /// What every path is answered that is not set up.
  void otherwise(std::string body, std::string head);
  /// Keeps answers for this path back until `release`.
  void hold(const std::string& path);
  void release();

  /// Heads of the requests so far, in the order they came.
  std::vector<std::string> asked() const;
  std::size_t requests() const { return asked().size(); }
  /// Waits until there were so many; false when they do not come for a long time.
  bool waits_for(std::size_t requests);

  static std::string timeline(const std::string& account) { return "/2/users/" + account + "/tweets"; }

private:
  struct reply {
    std::string head;
    std::string body;
  };
  void serve();
  void answer_one(int client);

  int listening_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::map<std::string, reply> replies_;
  reply otherwise_{"200 OK", R"({"meta":{"result_count":0}})"};
  std::set<std::string> held_;
  std::vector<std::string> asked_;
  int posts_ = 0;
  std::atomic<bool> stopping_{false};
  std::list<std::thread> clients_; // of the accepting thread, until it has ended
  std::thread thread_;
};

} // namespace credence::test
