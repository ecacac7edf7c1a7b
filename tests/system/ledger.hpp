#pragma once

#include "tests/system/service.hpp"

#include <atomic>

namespace credence::test {

/// One attempted vote and what the client was told.
struct attempt {
  int profile;
  int project;
  std::string reason;
  enum { pending, acknowledged, refused, unknown } fate = pending;
  int status = 0; // of the last answer; 0 when there was none
  std::chrono::steady_clock::time_point sent_at{};
  std::chrono::steady_clock::duration took{};
};

/// A client that writes down every vote before it is sent and after it is
/// answered, so that it can tell afterwards what must, must not and may be there.
/// Each vote carries a reason of its own, so the check goes over HTTP alone.
class ledger {
public:
  explicit ledger(service& to) : service_(to) {}

  /// Lets `threads` clients vote, every (profile, project) pair once, until `stop`
  /// is set or the pairs run out. Returns when all clients are done.
  void vote(const std::vector<int>& profiles, const std::vector<int>& projects, int threads,
            const std::atomic<bool>& stop);

  /// Compares with what the server says now; returns one line per violation.
  std::vector<std::string> violations(const std::vector<int>& projects);
  /// Looks for every unknown vote and sends it again until it is known; counts what it turned out to be.
  void resolve_unknown();

  std::size_t count(decltype(attempt::fate) fate) const;
  /// Votes acknowledged so far; may be read while clients vote.
  std::size_t acknowledged() const noexcept { return acknowledged_.load(); }
  const std::vector<attempt>& attempts() const { return attempts_; }

private:
  void send(attempt& attempt, http_client& client);
  static bool is_there(const attempt& attempt, http_client& client);

  service& service_;
  std::vector<attempt> attempts_;
  std::atomic<std::size_t> acknowledged_{0};
  static inline std::atomic<int> next_reason_{1};
};

} // namespace credence::test
