#pragma once

#include "actors/domain/hash.hpp"
#include "actors/domain/time.hpp"
#include "actors/kernel/turns.hpp"
#include "actors/news/news_types.hpp"
#include "config/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace credence::news {

/// Keeps from asking somebody who does not answer. After `failures_max` failures in a row it opens:
/// nothing is sent for `open_for`, then one trial, whose outcome closes it or opens it again. Whoever
/// is asked may also ask to be left alone. Outcomes of what was sent before it opened do not count.
class circuit_breaker {
public:
  enum class state : std::uint8_t { closed, open, trial };

  static constexpr int failures_max = 5;
  static constexpr std::chrono::seconds open_for{30};
  static constexpr std::chrono::minutes pause_max{15};

  /// What is sent with leave; its outcome is owed.
  struct leave {
    std::uint64_t turn = 0;
  };

  /// Leave to send something now; nothing while it is open, or the trial under way.
  std::optional<leave> may_send(steady_time now) noexcept;
  /// Whether `may_send` would give leave.
  bool lets_through(steady_time now) const noexcept {
    return state_ == state::closed || (state_ == state::open && now >= until_);
  }

  void succeeded(leave with) noexcept;
  void failed(leave with, steady_time now) noexcept;
  /// Whoever was asked wants a pause; `length` of 0: it did not say how long a one, which then is
  /// `open_for`. Longer ones than `pause_max` are cut.
  void told_to_pause(leave with, std::chrono::seconds length, steady_time now) noexcept;

  state now_in() const noexcept { return state_; }

private:
  void open(steady_time until) noexcept;

  state state_ = state::closed;
  int failures_ = 0;       // in a row, while closed
  steady_time until_{};    // while open
  std::uint64_t turn_ = 0; // grows with every change of state
};

/// What is known of the newest posts, who waits for one, and whom to ask for next.
///
/// What was learnt, also that there is none, counts for `kept_for`. Then it is asked again; when that
/// fails, the answer is what was known before, for `stale_for` more: yesterday's post serves readers
/// better than a hole, last month's does not. A failure counts for `failure_kept_for` only. The source
/// is asked for an account once at a time, whoever waits for it. Who waits for accounts has them asked for in turn with
/// others (`turns`), whoever wanted them first.
class news_state {
public:
  static constexpr std::chrono::hours kept_for{24};
  static constexpr std::chrono::hours stale_for{24};
  static constexpr std::chrono::minutes failure_kept_for{1};
  /// Accounts remembered; beyond, the one that nobody wanted for longest is forgotten.
  static constexpr std::size_t remembered_max = 10'000;
  /// Places of accounts in the lines of askers; beyond, they are answered with what was known before. One asker has as
  /// many as a question may name, and anonymous ones half of all together.
  static constexpr std::size_t waiting_max = 5'000;
  static constexpr std::size_t waiting_each = limits::bulk_markets_max;

  /// Names a place in an answer.
  struct waiter {
    std::uint64_t request = 0;
    std::size_t place = 0;
  };
  enum class status : std::uint8_t {
    known,
    looked_for,  // `learn` will tell the waiter
    turned_away, // nobody looks: the source is left alone, or too many wait
  };
  /// `newest` is the answer, or what was known before and may stand in for it.
  struct sight {
    status how{};
    post_ptr newest;
  };
  /// Whom to ask for.
  struct errand {
    account whose;
    circuit_breaker::leave with;
  };
  /// News for those who wait.
  struct answered {
    std::vector<waiter> whom;
    post_ptr newest;
  };

  sight see(const account& whose, const asker& by, waiter who, steady_time now);
  /// The next one to ask for, which `learn` must follow; nothing when there is none. Errands under
  /// way together are bounded by the caller.
  std::optional<errand> next(steady_time now);
  /// What came of an errand. When the source is to be left alone from now on, all who wait to be asked
  /// for are answered with what was known before.
  std::vector<answered> learn(const errand& done, const looked_up& post, steady_time now);
  /// That request waits no more.
  void forget(const account& whose, std::uint64_t request);

  circuit_breaker::state source() const noexcept { return source_.now_in(); }
  std::size_t remembered() const noexcept { return memories_.size(); }
  /// Accounts that are to be asked for.
  std::size_t waiting() const noexcept { return waiting_; }

private:
  struct memory {
    std::string key;
    post_ptr newest;
    steady_time learnt_at = steady_time::min(); // min: never
    steady_time ask_again_at{};
  };
  struct search {
    account whose;
    std::vector<waiter> whom;
    std::set<asker> lines; // that it has a place in
    bool under_way = false;
  };
  /// Of an account in the line of an asker; of no use any more once the account has been asked for.
  struct place {
    std::string key;
    asker whose;
  };
  using memories = std::list<memory>;

  /// What is remembered, moved to the front; null when nothing is.
  memory* recall(const std::string& key);
  memory& remember(const std::string& key);
  static post_ptr stand_in(const memory* old, steady_time now);
  answered end_search(const std::string& key, steady_time now);
  /// Whether there was room.
  bool take_place(const std::string& key, const asker& whose);
  /// The search whose turn is next, which leaves the lines; null when none waits.
  search* next_in_line();

  circuit_breaker source_;
  memories memories_; // wanted last first
  std::unordered_map<std::string, memories::iterator, keyed_hash> by_key_;
  std::unordered_map<std::string, search, keyed_hash> searches_; // waiting and under way
  std::size_t waiting_ = 0;                                      // of these
  turns<place> lines_;
  std::size_t places_ = 0; // in all lines
  std::size_t anonymous_places_ = 0;
  std::map<asker, std::size_t> places_of_;
};

} // namespace credence::news
