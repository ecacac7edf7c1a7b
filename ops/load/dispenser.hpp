#pragma once

#include "ops/load/options.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace credence::load {

/// Every (profile, project) pair once, in an order that is the same in every run: neighbours
/// differ in project (when there are several) and in profile.
class pair_order {
public:
  pair_order(std::uint64_t projects, std::uint64_t profiles)
    : projects_(projects), profiles_(profiles), apart_(profiles / projects + 1),
      step_(std::max<std::uint64_t>(1, profiles * 5 / 8)) {
    while (std::gcd(step_, profiles_) != 1)
      ++step_;
  }
  std::uint64_t count() const noexcept { return projects_ * profiles_; }
  std::size_t project(std::uint64_t pair) const noexcept { return static_cast<std::size_t>(pair % projects_); }
  /// For a given project the profiles are a permutation: step and number share no divisor.
  std::size_t profile(std::uint64_t pair) const noexcept {
    return static_cast<std::size_t>((pair / projects_ * step_ + pair % projects_ * apart_) % profiles_);
  }

private:
  std::uint64_t projects_;
  std::uint64_t profiles_;
  std::uint64_t apart_;
  std::uint64_t step_;
};

/// Requests from parts rendered once; making one copies four pieces.
class request_maker {
public:
  explicit request_maker(const options& with)
    : pairs(with.projects.size(), std::max<std::size_t>(1, with.tokens.size())) {
    const auto host = " HTTP/1.1\r\nHost: " + with.host + ":" + std::to_string(with.port) + "\r\n"
                      + (with.gzip ? "Accept-Encoding: gzip\r\n" : "");
    for (const auto& [id, token] : with.tokens)
      who_.push_back((with.keys ? "X-Service-Api-Key: " : "Authorization: Bearer ") + token + "\r\n");
    switch (with.kind) {
      case scenario::votes:
        for (const auto id : with.projects)
          heads_.push_back("POST /api/v2/projects/" + std::to_string(id) + "/votes" + host
                           + "Content-Type: application/json\r\n");
        for (const auto* side : {"BULLISH", "BEARISH", "BULLISH"})
          for (const auto* reason : reasons)
            tails_.push_back(vote_tail(side, reason));
        break;
      case scenario::balance: heads_.push_back("GET /api/v2/projects/votes/balance" + host); break;
      case scenario::voters:
        for (const auto id : with.projects)
          heads_.push_back("GET /api/v2/projects/" + std::to_string(id) + "/voters?limit=" + std::to_string(with.limit)
                           + host);
        break;
      case scenario::listings:
        heads_.push_back("GET /api/v2/internal/listings?limit=" + std::to_string(with.limit) + host);
        break;
      case scenario::score:
        for (std::int64_t i = 1; i <= (with.profiles_most > 0 ? with.profiles_most : 1000); ++i)
          heads_.push_back("GET /api/v2/score/userkey?userkey=service:x.com:" + demo_x_account(i) + host);
        break;
      case scenario::tips: // to the one after next, so that everybody gives and gets as much
        heads_.push_back("POST /api/v2/xp/tip" + host + "Content-Type: application/json\r\n");
        for (std::size_t i = 0; i < with.tokens.size(); ++i)
          tails_.push_back(tip_tail(with.tokens[(i + 2) % with.tokens.size()].first));
        break;
      case scenario::trades:
        for (const auto id : with.projects)
          heads_.push_back("POST /api/v2/markets/" + std::to_string(id) + "/trades" + host
                           + "Content-Type: application/json\r\n");
        for (const auto* side : {"trust", "distrust", "trust"})
          tails_.push_back(trade_tail(side));
        break;
      case scenario::market:
        for (const auto id : with.projects)
          heads_.push_back("GET /api/v1/markets/" + std::to_string(id) + host);
        break;
      case scenario::constant: heads_.push_back("GET " + with.path + host); break;
    }
    if (tails_.empty())
      tails_.push_back("\r\n");
    advance = "POST /api/v2/projects/votes/reallocate" + host + "Authorization: Bearer " + with.advance_token
              + "\r\nContent-Length: 0\r\n\r\n";
    is_votes_ = with.kind == scenario::votes;
    if (!with.idempotent.empty())
      idempotent_ = "Idempotency-Key: " + with.idempotent + "-";
  }

  /// Request number `n` (of a vote run: of pair `n`, in the `turn`th period) into `out`.
  void make(std::uint64_t n, std::string& out, int turn = 0) const {
    out.assign(heads_[is_votes_ ? pairs.project(n) : n % heads_.size()]);
    if (!who_.empty())
      out.append(who_[is_votes_ ? pairs.profile(n) : n % who_.size()]);
    if (!idempotent_.empty())
      out.append(idempotent_).append(std::to_string(turn)).append("-").append(std::to_string(n)).append("\r\n");
    out.append(tails_[n % tails_.size()]);
  }

  const pair_order pairs;
  std::string advance; // opens the next voting period

private:
  static constexpr std::array reasons{"", "shipping fast", "the team answers", "too early to tell", "audited twice",
                                      "", "fees are high"};

  /// As the demo data numbers them (ops/demo/people.cpp).
  static std::string demo_x_account(std::int64_t profile) {
    return std::to_string(1000000000000000000 + profile * 7919);
  }

  static std::string tip_tail(std::int32_t receiver) {
    const auto body = R"({"receiverUserkey":"profileId:)" + std::to_string(receiver) + R"(","amount":1})";
    return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static std::string trade_tail(const std::string& side) {
    const auto body = R"({"action":"buy","voteType":")" + side + R"(","votes":1,"maximumCost":"1000000000000000000"})";
    return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static std::string vote_tail(const std::string& side, const std::string& reason) {
    const auto body =
      R"({"voteType":")" + side + "\"" + (reason.empty() ? "" : R"(,"voteReason":")" + reason + "\"") + "}";
    return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  std::vector<std::string> heads_;
  std::vector<std::string> who_;
  std::vector<std::string> tails_;
  std::string idempotent_;
  bool is_votes_ = false;
};

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
