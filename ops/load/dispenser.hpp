#pragma once

#include "ops/load/options.hpp"
#include "ops/load/requests.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

namespace credence::load {

/// Where `--host` and `--port` point; ends the program when that is no IPv4 address.
sockaddr_in address_of(const options& with);

/// A connected socket, or -1. `flags` may hold SOCK_NONBLOCK, which holds from then on:
/// the connecting itself waits.
int connect_to(const sockaddr_in& where, int flags);

/// What a header says that matters here.
struct answer_head {
  unsigned status = 0;
  std::int64_t length = -1;
  bool close = false;
};

/// Reads the lines from a status line up to `end`; status 0 when they are not HTTP.
answer_head parse_head(const char* from, const char* end);

/// Where threads get the numbers of their requests from; opens the next voting period
/// when the pairs have run out and every thread's requests are answered.
class dispenser {
public:
  dispenser(const options& with, const request_maker& maker)
    : with_(with), maker_(maker), next_(with.start_pair), left_(with.requests_most), threads_(with.threads) {}

  /// The next number, or nothing: the pairs have run out, or all wanted requests were made.
  std::optional<std::uint64_t> take();

  bool finished() const { return finished_.load(std::memory_order_relaxed); }
  bool can_advance() const { return !with_.advance_token.empty(); }
  int advances() const { return advances_; }
  std::uint64_t next_pair() const { return std::min(next_.load(), maker_.pairs.count()); }

  /// Waits until every thread is here (or gone); the last one advances the period.
  void wait_for_next_period();
  /// A thread is done.
  void leave();

private:
  void advance();

  const options& with_;
  const request_maker& maker_;
  std::atomic<std::uint64_t> next_;
  std::atomic<std::int64_t> left_;
  std::atomic<bool> finished_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned threads_;
  unsigned waiting_ = 0;
  int advances_ = 0;
};

} // namespace credence::load
