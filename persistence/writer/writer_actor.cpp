#include "actors/kernel/actor.hpp"
#include "actors/kernel/inline_executor.hpp"
#include "ops/metrics.hpp"
#include "persistence/writer/batch_writer.hpp"
#include "persistence/writer/write_session.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <type_traits>

namespace credence::persistence {

/// Time to work.
struct writer_turn {};
/// Time to look whether there is something to do that no request brings.
struct writer_alarm {};

namespace {

using namespace std::chrono_literals;

constexpr std::size_t told_here_max = 2;
/// A vote takes three: of its project, of the router of profiles, of its voter.
constexpr std::size_t listener_turns = 8;

struct pending_settle {
  std::uint64_t position;
  ask<settle> question;
};

/// Natural group commit by mailbox: a turn is queued behind what has already come, so
/// a batch holds everything that arrived while the one before it was under way.
class writer : public actor {
public:
  static inline const char* name = "writer";
  // One after the other is tried: what comes most often is first.
  using takes = joined<types<writer_turn>, writer_handle::takes, types<writer_alarm>>;

  /// `own_thread`: nobody else runs on it.
  void start(const settings::store& how, store_status* status, std::unique_ptr<write_sessions> sessions,
             clock_source clocks, const claim& mine, bool own_thread) {
    if (own_thread)
      listeners_.emplace(system());
    status_ = status;
    ops::the_metrics().of(ops::actor_kind::writer).live.set(1);
    longest_end_ = how.statement_timeout + how.connect_timeout;
    const auto tell = [this](const write_listener& to, const write_outcome& outcome) {
      told_ += outcome.count;
      post(to, outcome);
    };
    writer_ = std::make_unique<batch_writer>(how, *status, tell, std::move(sessions), clocks, mine);
    turn_at(steady_clock::now());
  }

  template <class Change>
  void on(write_of<Change>& write) {
    writer_->take(one_of_all(write));
    if (!turn_is_due_ && writer_->connected() && writer_->has_work())
      turn_at(steady_clock::now());
  }

  void on(const ask<settle>& question) {
    if (writer_->settled(writer_->taken()))
      return question.answer(settled{});
    settling_.push_back({writer_->taken(), question});
  }

  void on(const writer_turn&) { work(); }

  void on(const writer_alarm&) {
    alarm_at_ = steady_time::max();
    if (!turn_is_due_)
      work();
  }

private:
  void work() {
    turn_is_due_ = false;
    auto& metrics = ops::the_metrics().of(ops::actor_kind::writer);
    const auto started = steady_clock::now();
    status_->turns.fetch_add(1, std::memory_order_relaxed);
    told_ = 0;
    // To connect takes long: who hears something meanwhile must not wait for that.
    const inline_executor::scope here{listeners_ && writer_->connected() ? &*listeners_ : nullptr};
    const auto due = writer_->work();
    metrics.handled.add();
    metrics.handling.observe(steady_clock::now() - started);
    while (!settling_.empty() && writer_->settled(settling_.front().position)) {
      settling_.front().question.answer(settled{});
      settling_.pop_front();
    }
    turn_at(due);
    let_listeners_go_on();
  }

  /// An alarm wakes a clock's thread, so one that rings early enough is left as it is:
  /// while batches follow each other there is one in half a second, not one a batch.
  void turn_at(steady_time due) {
    if (turn_is_due_)
      return;
    const auto now = steady_clock::now();
    if (due <= now) {
      turn_is_due_ = true;
      tell_self(writer_turn{});
    } else if (due < alarm_at_) {
      alarm_at_ = due;
      after(alarm_, due - now, writer_alarm{});
    }
  }

  /// Who heard of one or two changes goes on here: to wake another thread for it would take longer, also for
  /// the batch after. Of more changes the shared threads take care while the next batch is written.
  void let_listeners_go_on() {
    if (!listeners_)
      return;
    if (told_ > told_here_max)
      listeners_->hand_over();
    else
      listeners_->run(listener_turns);
  }

  /// Writes what is held, answers everybody, stops.
  void told_to_end() override {
    writer_->finish(steady_clock::now() + longest_end_);
    for (const auto& each : settling_) {
      if (writer_->settled(each.position))
        each.question.answer(settled{});
      else
        each.question.fail(failure::unavailable);
    }
    settling_.clear();
    quit();
  }

  store_status* status_ = nullptr;
  std::unique_ptr<batch_writer> writer_;
  std::optional<inline_executor> listeners_;
  std::size_t told_ = 0; // changes, in this turn
  std::deque<pending_settle> settling_;
  timer alarm_;
  steady_time alarm_at_ = steady_time::max();
  bool turn_is_due_ = false;
  std::chrono::milliseconds longest_end_{};
};

/// The one of a chain, under a name of its own.
struct chain_writer : writer {
  static inline const char* name = "chain writer";
};

} // namespace

writer_handle spawn_writer(caf::actor_system& sys, const settings::store& how, store_status& status,
                           const claim& mine) {
  const auto spawned = [&]<class Writer>(std::type_identity<Writer>, const char* application, clock_source clocks) {
    return writer_handle{
      spawn_on_own_thread<Writer>(sys, how, &status, postgres_sessions(how, application), clocks, mine, true)};
  };
  if (mine.of != shard::chain)
    return spawned(std::type_identity<writer>{}, "credence-writer", {});
  clock_source clocks;
  clocks.follow = [](std::chrono::microseconds) {}; // the other writer sets the service's clock
  return spawned(std::type_identity<chain_writer>{}, "credence-chain-writer", clocks);
}

writer_handle spawn_writer_here(caf::actor_system& sys, const settings::store& how, store_status& status,
                                std::unique_ptr<write_sessions> sessions, clock_source clocks) {
  return writer_handle{spawn<writer>(sys, how, &status, std::move(sessions), clocks, claim{}, false)};
}

} // namespace credence::persistence
