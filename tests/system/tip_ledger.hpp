#pragma once

#include "tests/system/service.hpp"

#include <atomic>
#include <random>

namespace credence::test {

/// One attempted tip and what its client was told.
struct tip_attempt {
  int sender;
  int receiver;
  int amount;
  std::string message; // its own, also the Idempotency-Key
  enum { pending, acknowledged, refused, unknown } fate = pending;
  std::int64_t tip = 0; // its number, when acknowledged
};

/// A client that writes down every tip before it is sent and after it is answered, and looks
/// into the ledger of XP afterwards for what must, must not and may be there.
class tip_ledger {
public:
  tip_ledger(service& to, std::uint64_t seed) : service_(to), random_(seed) {}

  /// Lets `threads` clients tip at random between these profiles until `stop` is set.
  void tip(const std::vector<int>& profiles, int threads, const std::atomic<bool>& stop);
  /// Sends every unknown tip again, with the key it had, until it is known.
  void resolve_unknown();
  /// Compares with the database; one line per violation.
  std::vector<std::string> violations();

  std::size_t count(decltype(tip_attempt::fate) fate) const;
  /// Tips acknowledged so far; may be read while clients tip.
  std::size_t acknowledged() const noexcept { return acknowledged_.load(); }

private:
  void send(tip_attempt& attempt, http_client& client);

  service& service_;
  std::mt19937_64 random_;
  std::vector<tip_attempt> attempts_;
  std::atomic<std::size_t> acknowledged_{0};
};

/// What one profile has, by SQL.
std::int64_t xp_of(service& at, int profile);
/// Points out of nowhere, as another program would give them.
void give_xp(service& at, int profile, std::int64_t amount);
/// What all profiles have together, and the least that one of them has.
struct xp_everywhere {
  std::int64_t total = 0;
  std::int64_t least = 0;
};
xp_everywhere all_xp(service& at);

} // namespace credence::test
