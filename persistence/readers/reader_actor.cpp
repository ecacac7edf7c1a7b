#include "persistence/readers/reader_actor.hpp"

#include "actors/kernel/handling.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "persistence/readers/questions.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <tuple>

namespace credence::persistence {

struct read_this {
  std::shared_ptr<reading> what;
};
/// A reader is idle again; `why` is set when it could not read.
struct read_done {
  lane on = lane::loads;
  std::size_t reader = 0;
  std::shared_ptr<reading> what;
  std::optional<trouble> why;
};
/// A reader has died.
struct reader_gone {
  lane on = lane::loads;
  std::size_t reader = 0;
};

namespace {

using namespace std::chrono_literals;

/// A reader that could not connect answers for this long without trying again.
constexpr auto connect_pause = 100ms;

using reader_entity = caf::typed_actor<caf::reacts_to<read_this>>;
using pool_entity = reader_handle::extend<caf::reacts_to<read_done>, caf::reacts_to<reader_gone>>;

ops::store_metrics& metrics() { return ops::the_metrics().store; }

// -- a reader ------------------------------------------------------------------------------

class reader_plumbing {
public:
  static inline const char* name = "reader";
  using pointer = reader_entity::stateful_pointer<reader_plumbing>;

  void start(const settings::store& how, lane on, std::size_t number, caf::actor_addr pool) {
    how_ = how;
    lane_ = on;
    number_ = number;
    pool_ = std::move(pool);
    session_.application_name = on == lane::loads ? "credence-loads" : "credence-lists";
    ops::the_metrics().of(ops::actor_kind::reader).live.add(1);
    // Plans are made once. They must not settle on reading a whole table because it
    // happened to be small then: every question here has an index.
    session_.options = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off";
  }

  void on_read(const read_this& asked) {
    const handling here{ops::actor_kind::reader, asked.what->asked_at};
    metrics().load_statements.add();
    read_done done{lane_, number_, asked.what, std::nullopt};
    // A connection that broke since its last use costs one retry, no more.
    for (int attempt = 0; attempt < 2; ++attempt) {
      const bool reused = connection_.has_value();
      done.why = try_once(*asked.what);
      if (done.why != trouble::lost || !reused)
        break;
    }
    if (auto pool = caf::actor_cast<caf::actor>(pool_))
      caf::anon_send(pool, std::move(done));
  }

private:
  std::optional<trouble> try_once(reading& what) {
    const auto timeout = what.how().timeout > 0ms ? what.how().timeout : how_.load_timeout;
    // The server gives up a little before we do, which spares the connection.
    const auto at_the_server = timeout - timeout / 10;
    try {
      if (!connection_) {
        if (steady_clock::now() < not_before_)
          return trouble::lost;
        session_.statement_timeout = at_the_server;
        connection_.emplace(how_.database_url, session_, deadline_in(how_.connect_timeout));
      } else if (session_.statement_timeout != at_the_server) {
        connection_->exec("SET statement_timeout = " + std::to_string(at_the_server.count()), deadline_in(timeout));
        session_.statement_timeout = at_the_server;
      }
      what.run(*connection_, timeout);
      return std::nullopt;
    } catch (const database_error& why) {
      ops::log(ops::level::warn, "load_failed", {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
      if (!connection_)
        not_before_ = steady_clock::now() + connect_pause;
      else if (!connection_->open())
        connection_.reset();
      return why.sqlstate() == query_canceled ? trouble::deadline : why.why();
    } catch (const std::exception& why) {
      ops::log(ops::level::error, "load_failed", {{"error", why.what()}});
      connection_.reset();
      return trouble::usage;
    }
  }

  static constexpr const char* query_canceled = "57014";

  settings::store how_;
  lane lane_ = lane::loads;
  std::size_t number_ = 0;
  caf::actor_addr pool_;
  session session_;
  std::optional<connection> connection_;
  steady_time not_before_{};
};

reader_entity::behavior_type behave_reader(reader_plumbing::pointer self, const settings::store& how, lane on,
                                           std::size_t number, const caf::actor_addr& pool) {
  auto& state = self->state;
  state.start(how, on, number, pool);
  return {[&state](const read_this& asked) { state.on_read(asked); }};
}

// -- a lane ----------------------------------------------------------------------------------

/// The connections of one lane, and what waits for them.
class queue_of_lane {
public:
  struct bounds {
    std::size_t waiting;        // questions; one past it is refused at once
    milliseconds patience;      // one that has waited longer fails: whoever asked has given up
    milliseconds patience_many; // the same where there is much to read
  };

  void start(bounds how, std::vector<reader_entity> readers, ops::gauge* waits) {
    how_ = how;
    waits_ = waits;
    readers_ = std::move(readers);
    under_way_.resize(readers_.size());
    for (std::size_t i = 0; i < readers_.size(); ++i)
      idle_.push_back(i);
  }

  /// Questions that have no answer yet.
  bool full() const noexcept { return inside_ >= how_.waiting; }
  void enter() noexcept {
    ++inside_;
    waits_->add(1);
  }
  void leave(std::size_t count) noexcept {
    inside_ -= count;
    waits_->add(-static_cast<std::int64_t>(count));
  }

  void push(std::shared_ptr<reading> what) { waiting_[static_cast<std::size_t>(what->how().costs)].push_back(std::move(what)); }

  void done(std::size_t reader) {
    idle_.push_back(reader);
    under_way_[reader] = nullptr;
  }

  /// Another reader takes the place of one that has died; what that one was reading, or null.
  std::shared_ptr<reading> replace(std::size_t reader, reader_entity fresh) {
    readers_[reader] = std::move(fresh);
    auto lost = std::exchange(under_way_[reader], nullptr);
    if (lost)
      idle_.push_back(reader);
    return lost;
  }

  /// The next one to be read by an idle reader, or null. One with much to read never takes the
  /// last, so that a short one need not wait for it to end; of those that cost most there is one at a time.
  std::shared_ptr<reading> next() {
    for (std::size_t costs = 0; costs < waiting_.size(); ++costs) {
      auto& from = waiting_[costs];
      if (from.empty() || idle_.size() <= std::min<std::size_t>({costs, 1, readers_.size() - 1}))
        continue;
      if (const auto most = from.front()->how().costs; most == cost::most && under_way(most))
        continue;
      auto out = std::move(from.front());
      from.pop_front();
      return out;
    }
    return nullptr;
  }
  bool under_way(cost which) const {
    return std::any_of(under_way_.begin(), under_way_.end(),
                       [which](const auto& each) { return each && each->how().costs == which; });
  }
  bool too_late(const reading& what) const {
    return steady_clock::now() - what.asked_at > (what.how().costs == cost::few ? how_.patience : how_.patience_many);
  }

  template <class Self>
  void hand_out(Self* self, std::shared_ptr<reading> what) {
    const auto reader = idle_.back();
    idle_.pop_back();
    under_way_[reader] = what;
    self->send(readers_[reader], read_this{std::move(what)});
  }

  template <class Self>
  void end(Self* self) {
    const auto gone = caf::make_error(caf::sec::runtime_error);
    for (auto& queue : waiting_)
      for (const auto& each : std::exchange(queue, {}))
        each->fail(gone);
    for (const auto& each : std::exchange(under_way_, {}))
      if (each)
        each->fail(gone);
    for (const auto& each : std::exchange(readers_, {}))
      self->send_exit(each, caf::exit_reason::user_shutdown);
  }

private:
  bounds how_{};
  ops::gauge* waits_ = nullptr;
  std::vector<reader_entity> readers_;
  std::vector<std::size_t> idle_;
  std::array<std::deque<std::shared_ptr<reading>>, costs_known> waiting_; // by cost
  std::vector<std::shared_ptr<reading>> under_way_; // by reader; null while it is idle
  std::size_t inside_ = 0;
};

// -- the pool --------------------------------------------------------------------------------

/// Loads wait in line: an entity that nobody waits for any more is there for who comes next, and a
/// large one would never be if it began anew each time. The front admits far fewer questions than this.
constexpr queue_of_lane::bounds bounds_of_loads{131072, 15s, milliseconds{24h}};
constexpr std::size_t lists_waiting_max = 2048;

template <class... Q>
using gatherings_of = std::tuple<gathering<Q>...>;

class pool_plumbing {
public:
  static inline const char* name = "readers";
  using pointer = pool_entity::stateful_pointer<pool_plumbing>;

  void start(pointer self, const settings::store& how, const store_status* status) {
    self_ = self;
    how_ = how;
    status_ = status;
    start_lane(lane::loads, how.readers, bounds_of_loads);
    start_lane(lane::lists, how.list_readers, {lists_waiting_max, 2 * how.load_timeout, 4 * how.load_timeout});
    self->set_exit_handler([this](caf::exit_msg& why) { end(std::move(why.reason)); });
  }

  template <class Q>
  auto on_single(Q& asked) {
    constexpr auto how = manner_of<Q>;
    auto promise = self_->make_response_promise<answer_to<Q>>();
    if (admit(how, promise)) {
      lane_of(how).push(std::make_shared<single_reading<Q>>(how, std::move(asked), promise));
      hand_out(how.on);
    }
    return promise;
  }

  template <class Q>
  auto on_grouped(Q& asked) {
    constexpr auto how = manner_of<Q>;
    auto promise = self_->make_response_promise<typename answers_to<Q>::value_type>();
    if (admit(how, promise)) {
      push(std::get<gathering<Q>>(gatherings_).add(how, std::move(asked), promise));
      hand_out(how.on);
    }
    return promise;
  }

  /// Its question fails alone, or with those it was read together with.
  void on_gone(const reader_gone& who) {
    auto& readers = ops::the_metrics().of(ops::actor_kind::reader);
    readers.live.add(-1);
    readers.failed.add();
    ops::log(ops::level::error, "actor_crashed", {{"kind", "reader"}, {"id", static_cast<std::int64_t>(who.reader)}});
    if (const auto lost = lanes_[static_cast<std::size_t>(who.on)].replace(who.reader, spawn_reader(who.on, who.reader)))
      settle(*lost, trouble::lost);
    hand_out(who.on);
  }

  void on_done(read_done& done) {
    lanes_[static_cast<std::size_t>(done.on)].done(done.reader);
    settle(*done.what, done.why);
    hand_out(done.on);
  }

private:
  /// It is heard of when it dies, unless it was told to end.
  reader_entity spawn_reader(lane which, std::size_t number) {
    const auto me = caf::actor_cast<caf::actor_addr>(pool_entity{self_});
    auto fresh = self_->home_system().spawn<caf::detached>(behave_reader, how_, which, number, me);
    caf::actor_cast<caf::actor>(fresh)->attach_functor([me, which, number](const caf::error& why) {
      const bool was_told = !why || why == caf::exit_reason::normal || why == caf::exit_reason::user_shutdown;
      if (auto pool = caf::actor_cast<caf::actor>(me); pool && !was_told)
        caf::anon_send(pool, reader_gone{which, number});
    });
    return fresh;
  }

  void start_lane(lane which, std::uint32_t count, queue_of_lane::bounds bounds) {
    std::vector<reader_entity> readers;
    for (std::size_t i = 0; i < std::max(count, 1u); ++i)
      readers.push_back(spawn_reader(which, i));
    const auto at = static_cast<std::size_t>(which);
    lanes_[at].start(bounds, std::move(readers), &metrics().reads_waiting[at]);
  }

  queue_of_lane& lane_of(const manner& how) { return lanes_[static_cast<std::size_t>(how.on)]; }

  template <class Promise>
  bool admit(const manner& how, Promise& promise) {
    metrics().loads.add();
    auto& line = lane_of(how);
    if (!status_->owned.load(std::memory_order_acquire) || line.full()) {
      metrics().load_failures.add();
      promise.deliver(caf::make_error(caf::sec::runtime_error));
      return false;
    }
    line.enter();
    return true;
  }

  void push(std::shared_ptr<reading> group) {
    if (group)
      lanes_[static_cast<std::size_t>(group->how().on)].push(std::move(group));
  }

  void hand_out(lane which) {
    auto& line = lanes_[static_cast<std::size_t>(which)];
    while (auto next = line.next()) {
      if (line.too_late(*next))
        settle(*next, trouble::deadline); // the database is spared the work
      else
        line.hand_out(self_, std::move(next));
    }
  }

  /// Answers, or splits a group that was refused; then the next group of its kind has its turn.
  void settle(reading& what, std::optional<trouble> why) {
    const bool refused = why == trouble::refused || why == trouble::usage;
    if (!(refused && split(what)))
      tell(what, why);
    std::apply([&](auto&... each) { (next_of(each, what), ...); }, gatherings_);
  }

  void tell(reading& what, std::optional<trouble> why) {
    lane_of(what.how()).leave(what.size());
    if (why) {
      metrics().load_failures.add(static_cast<std::int64_t>(what.size()));
      return what.fail(caf::make_error(why == trouble::deadline ? caf::sec::request_timeout : caf::sec::runtime_error));
    }
    metrics().load.observe(steady_clock::now() - what.asked_at);
    what.answer();
  }

  bool split(const reading& what) {
    return std::apply([&](auto&... each) { return ((each.is_under_way(&what) && each.split()) || ...); }, gatherings_);
  }
  template <class Gathering>
  void next_of(Gathering& kind, const reading& done) {
    if (kind.is_under_way(&done))
      push(kind.next());
  }

  void end(caf::error why) {
    const auto gone = caf::make_error(caf::sec::runtime_error);
    std::apply([&](auto&... each) { (each.fail(gone), ...); }, gatherings_);
    for (auto& each : lanes_)
      each.end(self_);
    self_->quit(std::move(why));
  }

  pointer self_ = nullptr;
  settings::store how_;
  const store_status* status_ = nullptr;
  std::array<queue_of_lane, lanes> lanes_;
  made_of<gatherings_of, group_kinds> gatherings_;
};

template <class... Single, class... Grouped>
pool_entity::behavior_type behaviour(pool_plumbing& state, types<Single...>, types<Grouped...>) {
  return {[&state](Single& asked) { return state.on_single(asked); }..., [&state](Grouped& asked) { return state.on_grouped(asked); }...,
          [&state](read_done& done) { state.on_done(done); }, [&state](const reader_gone& who) { state.on_gone(who); }};
}

pool_entity::behavior_type behave_pool(pool_plumbing::pointer self, const settings::store& how, const store_status* status) {
  self->state.start(self, how, status);
  return behaviour(self->state, single_kinds{}, group_kinds{});
}

} // namespace

reader_handle spawn_readers(caf::actor_system& sys, const settings::store& how, const store_status& status) {
  return sys.spawn(behave_pool, how, &status);
}

} // namespace credence::persistence

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::read_this)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::read_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::reader_gone)
