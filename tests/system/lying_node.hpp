#pragma once

#include "tests/system/evm_node.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace credence::test {

/// One request of those in a body, as JSON texts.
struct rpc_question {
  std::string method;
  std::string params;
  bool alone = true; // in its body
};
/// What a whole body is answered; `head` is the status line with further fields.
struct rpc_reply {
  std::string body;
  std::string head = "200 OK";
};

/// Stands between a server and a node on loopback, and passes everything on until it is told to lie.
class lying_node {
public:
  /// Takes the member of an answer, `"result":…` or `"error":…`, and gives the one that is told instead; nothing: the
  /// answer is left out.
  using item_lie = std::function<std::optional<std::string>(const rpc_question& question, std::string member)>;
  /// What a body of requests is answered instead of asking the node; nothing: the truth.
  using body_lie = std::function<std::optional<rpc_reply>(const std::string& body)>;

  explicit lying_node(const evm_node& behind);
  lying_node(const lying_node&) = delete;
  lying_node& operator=(const lying_node&) = delete;
  ~lying_node();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // From now on until told otherwise. These wait until whatever was asked before has its answer, so that nobody is told
  // as before of what happens on the chain afterwards.
  void lie(item_lie how);
  void lie_whole(body_lie how);
  void tell_the_truth();
  /// Keeps answers back until `go_on`, all or those to bodies that hold this text.
  void hang(const std::string& at = {});
  void go_on();

  /// Answers that were not the node's own, since the last change of mind.
  int lies() const noexcept { return lies_; }
  /// Waits until there were so many; false when they do not come for a long time.
  bool lies_reach(int count);
  /// Requests of that method so far.
  int asked(const std::string& method) const;
  /// Bodies so far.
  int bodies() const noexcept { return bodies_; }

private:
  void serve();
  void talk(int client);
  void change(item_lie item, body_lie whole);
  rpc_reply answer(const std::string& body);
  std::string retold(const std::string& question, const std::string& answer, const item_lie& how, int mind);
  /// An answer that was not the node's own, given while it was of that mind.
  void lied(int mind);
  bool held(const std::string& body) const { return hanging_ && body.find(hanging_at_) != std::string::npos; }

  std::uint16_t behind_;
  int listening_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex guard_;
  std::condition_variable changed_;
  item_lie item_;
  body_lie whole_;
  int mind_ = 0;                 // how often it was changed
  std::multiset<int> answering_; // the minds of answers under way
  bool hanging_ = false;
  std::string hanging_at_;
  std::map<std::string, int> asked_;
  std::list<int> sockets_;
  std::atomic<int> lies_{0};
  std::atomic<int> bodies_{0};
  std::atomic<bool> stopping_{false};
  std::list<std::thread> clients_; // of the accepting thread, until it has ended
  std::thread thread_;
};

} // namespace credence::test
