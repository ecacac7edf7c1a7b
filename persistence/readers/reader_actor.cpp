#include "persistence/readers/reader_actor.hpp"

#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "persistence/readers/lane_queue.hpp"
#include "persistence/readers/questions.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <tuple>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;

using pool_entity = reader_handle::extend<caf::reacts_to<read_done>, caf::reacts_to<reader_gone>>;

ops::store_metrics& metrics() { return ops::the_metrics().store; }

/// Loads wait in line: an entity that nobody waits for any more is there for who comes next, and a
/// large one would never be if it began anew each time. The front admits far fewer questions than this.
constexpr lane_queue::bounds bounds_of_loads{131072, 15s, milliseconds{24h}};
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
    if (const auto lost = lanes_[static_cast<std::size_t>(who.on)].replace(who.reader, watched_reader(who.on, who.reader)))
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
  reader_entity watched_reader(lane which, std::size_t number) {
    const auto me = caf::actor_cast<caf::actor_addr>(pool_entity{self_});
    auto fresh = spawn_reader(self_->home_system(), how_, which, number, me);
    caf::actor_cast<caf::actor>(fresh)->attach_functor([me, which, number](const caf::error& why) {
      const bool was_told = !why || why == caf::exit_reason::normal || why == caf::exit_reason::user_shutdown;
      if (auto pool = caf::actor_cast<caf::actor>(me); pool && !was_told)
        caf::anon_send(pool, reader_gone{which, number});
    });
    return fresh;
  }

  void start_lane(lane which, std::uint32_t count, lane_queue::bounds bounds) {
    std::vector<reader_entity> readers;
    for (std::size_t i = 0; i < std::max(count, 1u); ++i)
      readers.push_back(watched_reader(which, i));
    const auto at = static_cast<std::size_t>(which);
    lanes_[at].start(bounds, std::move(readers), &metrics().reads_waiting[at]);
  }

  lane_queue& lane_of(const manner& how) { return lanes_[static_cast<std::size_t>(how.on)]; }

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
  std::array<lane_queue, lanes> lanes_;
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
