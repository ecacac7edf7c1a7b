#pragma once

#include "config/settings.hpp"
#include "ops/metrics.hpp"
#include "persistence/writer/broken_streams.hpp"
#include "persistence/writer/store_health.hpp"
#include "persistence/writer/write_queue.hpp"
#include "persistence/writer/write_session.hpp"

#include <memory>
#include <optional>
#include <random>
#include <unordered_set>

namespace credence::persistence {

/// The writer without its mailbox: takes changes, commits them in batches, and
/// knows what to do when the database refuses, hangs or goes away. Belongs to one
/// thread. Waits only inside `work` and `finish`, and there under a deadline.
///
/// A connection lost with a batch under way leaves that batch in doubt. Its changes
/// get `in_doubt`, and their final outcome once this writer has taken over from
/// itself and looked the batch up. Meanwhile new changes fail at once, except those of
/// streams that still wait for an outcome: they queue, so that order holds.
///
/// When another process has taken the shard over, what this one's entities know is out
/// of date: it stands down, writes nothing more and says so in the status.
class batch_writer {
public:
  batch_writer(const settings::store& how, store_status& status, teller tell, std::unique_ptr<write_sessions> sessions,
               clock_source clocks = {}, claim mine = {});

  /// Takes a change. Tells its outcome now when it cannot be kept.
  void take(write_request request);
  /// One piece of work: a batch, a step towards a connection, or a probe. Returns when
  /// the next one is due; `take` may make it due at once.
  steady_time work();
  /// Whether work would write something right now.
  bool has_work() const noexcept { return !queue_.empty(); }
  /// True while there is a connection and this writer owns the shard.
  bool connected() const noexcept { return session_ != nullptr; }
  /// Position of the last change taken; counts from 1.
  std::uint64_t taken() const noexcept { return taken_; }
  /// Whether every change up to this position has its final outcome.
  bool settled(std::uint64_t position) const noexcept;
  /// Writes what is held, until `until` at the latest; then fails what is left but for
  /// a batch in doubt. Nothing may be taken afterwards.
  void finish(steady_time until);

private:
  void give_up_the_rest();

  // batches
  void sift(batch& from, steady_time now);
  std::optional<write_result> fate(const write_request& request, steady_time now);
  void write(batch batch);
  void identify(batch& batch);
  void committed(batch& batch, std::chrono::nanoseconds took);
  void refused(batch batch, const database_error& why);
  /// What comes from a chain and takes too long is sent again in smaller steps: an event is not refused for the time
  /// that many take.
  bool in_smaller_steps() const { return mine_.of == shard::chain; }
  void refuse_the_only_one(batch batch, const database_error& why, write_result as);
  void in_doubt(batch batch, const database_error& why);
  void final(batch& batch, write_result result, global_seq as_of);
  void final(batch::entry& one, write_result result);
  void probe();
  // the connection
  void lose(const char* event, const database_error& why);
  steady_time reconnect();
  bool has_to_wait(write_session& by);
  void take_over_with(std::unique_ptr<write_session> fresh);
  void stand_down(std::int64_t their_epoch);
  void resolve(const ownership& found);
  void fail_expired(steady_time now);
  void fail_expired_sometimes(steady_time now);
  void tell_waiting();
  std::unordered_set<std::uint64_t> doubted() const;
  void confirm_ownership(write_session& by);
  milliseconds next_delay();

  settings::store how_;
  store_status& status_;
  ops::writer_metrics& metrics_;
  announcer announce_;
  std::random_device random_;

  write_queue queue_;
  std::optional<batch> doubtful_;  // written, outcome unknown
  bool doubtful_too_long_ = false; // the database did not answer in time
  int too_long_in_a_row_ = 0;      // changes that took too long alone since the last commit
  broken_streams broken_;
  std::unordered_set<std::uint64_t> waiting_; // incarnations with changes held, while away
  std::uint64_t taken_ = 0;

  std::unique_ptr<write_sessions> sessions_;
  std::unique_ptr<write_session> session_; // the one that has taken over
  std::unique_ptr<write_session> fresh_;   // one that has not
  claim mine_;
  std::int64_t sequence_ = 0; // last one committed
  global_seq last_seq_ = 0;   // last one committed
  era_number era_ = 0;        // that changes are decided in
  store_health health_;
  steady_time next_try_{};
  steady_time expiry_checked_{};
  milliseconds delay_{0};
  bool connecting_ = false; // an attempt is under way
  // of a standby
  bool has_waited_ = false;               // for an owner, with a session before this one
  std::optional<steady_time> not_before_; // until then the owner may reconnect
  std::optional<lease> seen_;             // of the owner that it waits for, as it was told last
  steady_time seen_since_{};              // when that was told first
};

} // namespace credence::persistence
