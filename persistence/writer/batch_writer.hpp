#pragma once

#include "actors/domain/ids.hpp"
#include "actors/kernel/writes.hpp"
#include "actors/store.hpp"
#include "config/settings.hpp"
#include "ops/metrics.hpp"
#include "persistence/postgres/error.hpp"
#include "persistence/writer/batch.hpp"
#include "persistence/writer/takeover.hpp"
#include "persistence/writer/write_session.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace credence::persistence {

/// Changes until they are written, in order: batches that are formed already, and the hand, which holds what has come
/// since.
class write_queue {
public:
  /// So many changes, and about so many bytes, go into a batch at most.
  write_queue(std::size_t changes_max, std::size_t bytes_max) : changes_max_(changes_max), bytes_max_(bytes_max) {}

  void take(batch::entry fresh) { hand_.push_back(std::move(fresh)); }
  bool empty() const noexcept { return formed_.empty() && hand_.empty(); }
  /// Whether a change up to this position is still held.
  bool holds(std::uint64_t position) const noexcept;
  /// The batch to be written next, formed now where there is none; null when nothing is held.
  batch* next();
  /// Takes that batch out.
  batch pop();
  /// To be written before everything else.
  void put_first(batch batch) { formed_.push_front(std::move(batch)); }
  /// The same with each change in a batch of its own, which has been in doubt once at most.
  void put_first_one_by_one(batch batch);
  /// Takes the memory of a batch that is done with.
  void reuse(std::vector<batch::entry> memory);

  /// Calls `visit` with the changes of each batch, and with those of the hand.
  template <class Visit>
  void for_each_list(Visit&& visit) const {
    for (const auto& each : formed_)
      visit(each.entries);
    visit(hand_);
  }
  /// Removes the changes for which `gone`, which is asked once for each in order, says so.
  template <class Gone>
  void remove_if(Gone&& gone) {
    for (auto& each : formed_)
      remove_from(each.entries, gone);
    std::erase_if(formed_, [](const batch& each) { return each.entries.empty(); });
    remove_from(hand_, gone);
  }

private:
  void form();
  template <class Entries, class Gone>
  static void remove_from(Entries& entries, Gone& gone) {
    auto kept = entries.begin();
    for (auto& each : entries)
      if (!gone(each)) {
        if (&*kept != &each)
          *kept = std::move(each);
        ++kept;
      }
    entries.erase(kept, entries.end());
  }

  std::size_t changes_max_;
  std::size_t bytes_max_;
  std::deque<batch> formed_;
  std::deque<batch::entry> hand_;
  std::vector<batch::entry> spare_;
};

/// Whether the database is there, can be written and tells the time as this machine does: keeps the status and the
/// metrics true, and knows when it is to be asked next. Belongs to the writer's thread.
class store_health {
public:
  store_health(store_status& status, ops::writer_metrics& metrics, clock_source clocks);

  /// The database is about to be asked; `good` counts from now.
  void asking();
  /// The database is well, and nobody else owned the shard when it was asked.
  void good();
  /// Nobody else owned the shard when the database was asked; whether it can be written is another question.
  void owned();
  /// When it has to be asked whether it is well.
  steady_time next_probe() const noexcept { return next_probe_; }
  /// It could not say now; it is asked again soon.
  void probe_later();

  /// Whether a batch can be written, as far as the database goes.
  bool can_write() const noexcept { return can_write_; }
  void set_writable(bool yes);
  /// Logs why it cannot be written or reached, once until it can again.
  void log_once(std::string_view event, const database_error& why);
  /// The database can be reached, by a standby that does not write.
  void well();
  /// Logs that the session is lost.
  void log_loss(std::string_view event, const database_error& why);

  /// The wall clock of this machine.
  timestamp wall() const { return clocks_.wall(); }
  /// The database's clock showed `theirs` between `before`, by the wall clock, and now.
  void judge_clock(timestamp before, timestamp theirs);

private:
  store_status& status_;
  ops::writer_metrics& metrics_;
  clock_source clocks_;
  clock_judge clock_;
  bool can_write_ = false;
  bool away_logged_ = false;
  std::chrono::nanoseconds asked_at_{}; // boot clock: when the question was sent that the database answers next
  steady_time next_probe_{};
  steady_time next_clock_check_{};
};

/// Streams of which a change was not stored: changes that they sent before they heard of that end in the same way.
class broken_streams {
public:
  void add(const write_stream& stream, write_result result, steady_time now) {
    if (all_.size() >= many)
      std::erase_if(all_, [now](const auto& each) { return now - each.second.since > kept; });
    auto& entry = all_[stream.incarnation];
    if (entry.since == steady_time{} || stream.attempt > entry.attempt)
      entry = {stream.attempt, result, now};
  }

  /// What becomes of a change of this stream, or nothing while the stream is whole.
  std::optional<write_result> fate(const write_stream& stream) const {
    if (all_.empty())
      return std::nullopt;
    const auto found = all_.find(stream.incarnation);
    return found != all_.end() && stream.attempt <= found->second.attempt ? std::optional{found->second.result}
                                                                          : std::nullopt;
  }

private:
  /// What a stream that failed sent before it heard of it has long arrived by then.
  static constexpr std::chrono::seconds kept{60};
  static constexpr std::size_t many = 4096;

  struct broken {
    std::uint32_t attempt;
    write_result result;
    steady_time since;
  };
  std::unordered_map<std::uint64_t, broken> all_; // by incarnation
};

/// The writer without its mailbox: takes changes, commits them in batches, and
/// knows what to do when the database refuses, hangs or goes away. Belongs to one
/// thread. Waits only inside `work` and `finish`, and there under a deadline.
///
/// A connection lost with a batch under way leaves that batch in doubt. Its changes
/// get `in_doubt`, and their final outcome once this writer has taken over from
/// itself and looked the batch up. Meanwhile new changes fail at once, except those of
/// streams that still wait for an outcome: they queue, so that order holds. A change that brings this about again and
/// again is found and refused alone, once it is known not to be stored.
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
  /// that many take. The follower finds the one that takes too long alone.
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
  void absent(batch batch);
  void drop_derived();
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
  int culprits_in_a_row_ = 0;      // changes that took too long, or were in doubt, alone since the last commit
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

class write_sessions;

/// Spawns the writer of a shard on a thread of its own. It connects by itself and keeps `status`,
/// which must outlive it, telling the truth.
writer_handle spawn_writer(caf::actor_system& sys, const settings::store& how, store_status& status, const claim& mine);
/// The same actor over other sessions and without a thread of its own, for simulations.
writer_handle spawn_writer_here(caf::actor_system& sys, const settings::store& how, store_status& status,
                                std::unique_ptr<write_sessions> sessions, clock_source clocks = {});

} // namespace credence::persistence
