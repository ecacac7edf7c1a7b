#include "persistence/writer/writer_actor.hpp"

#include "actors/kernel/behaviour.hpp"
#include "actors/kernel/own_turns.hpp"
#include "ops/metrics.hpp"
#include "persistence/writer/batch_writer.hpp"
#include "persistence/writer/postgres_session.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <type_traits>

namespace credence::persistence {

/// Time to work.
struct writer_turn {};
/// Time to look whether there is something to do that no request brings.
struct writer_alarm {
  std::uint64_t number = 0; // only the newest one counts
};

namespace {

using namespace std::chrono_literals;

constexpr std::size_t told_here_max = 2;
/// A vote takes three: of its project, of the router of profiles, of its voter.
constexpr std::size_t listener_turns = 8;

using writer_entity = writer_handle::extend<caf::reacts_to<writer_turn>, caf::reacts_to<writer_alarm>>;

struct pending_settle {
  std::uint64_t position;
  caf::typed_response_promise<settled> promise;
};

/// Natural group commit by mailbox: a turn is queued behind what has already come, so
/// a batch holds everything that arrived while the one before it was under way.
class writer_plumbing {
public:
  static inline const char* name = "writer";
  using pointer = caf::event_based_actor*;

  /// `own_thread`: nobody else runs on it.
  void start(pointer self, const settings::store& how, store_status& status, std::unique_ptr<write_sessions> sessions,
             clock_source clocks, const claim& mine, bool own_thread) {
    self_ = self;
    if (own_thread)
      listeners_.emplace(self->system());
    status_ = &status;
    ops::the_metrics().of(ops::actor_kind::writer).live.set(1);
    longest_end_ = how.statement_timeout + how.connect_timeout;
    const auto tell = [this](const write_listener& to, const write_outcome& outcome) {
      told_ += outcome.count;
      post(to, outcome);
    };
    writer_ = std::make_unique<batch_writer>(how, status, tell, std::move(sessions), clocks, mine);
    self->set_exit_handler([this](caf::exit_msg& why) { end(std::move(why.reason)); });
    turn_at(steady_clock::now());
  }

  template <class Change>
  void on_request(write_of<Change>& write) {
    writer_->take(one_of_all(write));
    if (!turn_is_due_ && writer_->connected() && writer_->has_work())
      turn_at(steady_clock::now());
  }

  caf::result<settled> on_settle() {
    if (writer_->settled(writer_->taken()))
      return settled{};
    auto promise = self_->make_response_promise<settled>();
    settling_.push_back({writer_->taken(), promise});
    return promise;
  }

  void on_turn() {
    turn_is_due_ = false;
    auto& metrics = ops::the_metrics().of(ops::actor_kind::writer);
    const auto started = steady_clock::now();
    status_->turns.fetch_add(1, std::memory_order_relaxed);
    told_ = 0;
    // To connect takes long: who hears something meanwhile must not wait for that.
    const own_turns::scope here{listeners_ && writer_->connected() ? &*listeners_ : nullptr};
    const auto due = writer_->work();
    metrics.handled.add();
    metrics.handling.observe(steady_clock::now() - started);
    while (!settling_.empty() && writer_->settled(settling_.front().position)) {
      settling_.front().promise.deliver(settled{});
      settling_.pop_front();
    }
    turn_at(due);
    let_listeners_go_on();
  }

  void on_alarm(writer_alarm alarm) {
    if (alarm.number != alarms_)
      return; // an earlier one was set
    alarm_at_ = steady_time::max();
    if (!turn_is_due_)
      on_turn();
  }

private:
  /// An alarm wakes a clock's thread, so one that rings early enough is left as it is:
  /// while batches follow each other there is one in half a second, not one a batch.
  void turn_at(steady_time due) {
    if (turn_is_due_)
      return;
    const auto now = steady_clock::now();
    if (due <= now) {
      turn_is_due_ = true;
      self_->send(self_, writer_turn{});
    } else if (due < alarm_at_) {
      alarm_at_ = due;
      self_->delayed_send(self_, due - now, writer_alarm{++alarms_});
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
  void end(caf::error why) {
    writer_->finish(steady_clock::now() + longest_end_);
    for (auto& each : settling_) {
      if (writer_->settled(each.position))
        each.promise.deliver(settled{});
      else
        each.promise.deliver(caf::make_error(caf::sec::runtime_error));
    }
    settling_.clear();
    self_->quit(std::move(why));
  }

  pointer self_ = nullptr;
  store_status* status_ = nullptr;
  std::unique_ptr<batch_writer> writer_;
  std::optional<own_turns> listeners_;
  std::size_t told_ = 0; // changes, in this turn
  std::deque<pending_settle> settling_;
  std::uint64_t alarms_ = 0;
  steady_time alarm_at_ = steady_time::max();
  bool turn_is_due_ = false;
  std::chrono::milliseconds longest_end_{};
};

/// The one of a chain, under a name of its own.
struct chain_writer_plumbing : writer_plumbing {
  static inline const char* name = "chain writer";
};

template <class... Change>
caf::behavior behaviour(writer_plumbing& state, types<Change...>) {
  return {
    [&state](writer_turn) { state.on_turn(); }, // CAF tries one after the other: what comes most often is tried first
    [&state](write_of<Change>& write) { state.on_request(write); }...,
    [&state](settle) { return state.on_settle(); },
    [&state](writer_alarm alarm) { state.on_alarm(alarm); },
  };
}

template <class State>
caf::behavior behave(caf::stateful_actor<State>* self, const settings::store& how, store_status* status,
                     std::shared_ptr<std::unique_ptr<write_sessions>> sessions, clock_source clocks, const claim& mine,
                     bool own_thread) {
  auto& state = self->state;
  state.start(self, how, *status, std::move(*sessions), clocks, mine, own_thread);
  return behaviour(state, all_changes{});
}

} // namespace

writer_handle spawn_writer(caf::actor_system& sys, const settings::store& how, store_status& status,
                           const claim& mine) {
  const auto spawn = [&]<class State>(std::type_identity<State>, const char* application, clock_source clocks) {
    auto sessions = std::make_shared<std::unique_ptr<write_sessions>>(postgres_sessions(how, application));
    return spawn_as<writer_handle, caf::detached>(sys, behave<State>, how, &status, std::move(sessions), clocks, mine,
                                                  true);
  };
  if (mine.of != shard::chain)
    return spawn(std::type_identity<writer_plumbing>{}, "credence-writer", {});
  clock_source clocks;
  clocks.follow = [](std::chrono::microseconds) {}; // one says what time it is
  return spawn(std::type_identity<chain_writer_plumbing>{}, "credence-chain-writer", clocks);
}

writer_handle spawn_writer_here(caf::actor_system& sys, const settings::store& how, store_status& status,
                                std::unique_ptr<write_sessions> sessions, clock_source clocks) {
  return spawn_as<writer_handle>(sys, behave<writer_plumbing>, how, &status,
                                 std::make_shared<std::unique_ptr<write_sessions>>(std::move(sessions)), clocks,
                                 claim{}, false);
}

} // namespace credence::persistence

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::writer_turn)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::writer_alarm)
