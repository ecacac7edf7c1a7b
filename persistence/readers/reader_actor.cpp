#include "persistence/readers/reader_actor.hpp"

#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "persistence/readers/reader_pool.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/behavior.hpp>

#include <algorithm>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;

ops::store_metrics& metrics() { return ops::the_metrics().store; }

/// Loads wait in line: an entity that nobody waits for any more is there for who comes next, and a
/// large one would never be if it began anew each time. The front admits far fewer questions than this.
constexpr lane_queue::bounds bounds_of_loads{131072, 1024, 15s, milliseconds{24h}};
constexpr std::size_t lists_waiting_max = 2048;
constexpr std::size_t lists_waiting_each = 64;
constexpr std::uint32_t console_readers = 2; // connected when the console first asks

} // namespace

void reader_pool::start(pointer self, const settings::store& how, const store_status* status,
                        std::vector<load_handler> kinds) {
  self_ = self;
  for (const auto& each : kinds)
    kinds_.emplace(each.kind, kind{each, {}});
  how_ = how;
  status_ = status;
  start_lane(lane::loads, how.readers, bounds_of_loads);
  const lane_queue::bounds bounds_of_lists{lists_waiting_max, lists_waiting_each, 2 * how.load_timeout,
                                           4 * how.load_timeout};
  start_lane(lane::lists, how.list_readers, bounds_of_lists);
  start_lane(lane::console, console_readers, bounds_of_lists);
  self->set_exit_handler([this](caf::exit_msg& why) { end(std::move(why.reason)); });
}

reading::promise reader_pool::on_load(any_load& load) {
  auto promise = self_->make_response_promise<any_found>();
  const auto found = kinds_.find(load.question.type());
  if (found == kinds_.end()) {
    promise.deliver(caf::make_error(caf::sec::runtime_error));
    return promise;
  }
  auto& [by, together] = found->second;
  const bool alone = by.how.together == 1;
  const auto whose = alone ? load.by : asker{};
  const auto which = whose.rank == asker_rank::console ? lane::console : by.how.on;
  if (auto why = denied(which, whose)) {
    promise.deliver(*std::move(why));
    return promise;
  }
  if (alone) {
    auto fresh = std::make_shared<reading>(by, which, whose);
    fresh->add(std::move(load.question), promise);
    push(std::move(fresh));
  } else {
    push(together.add(by, std::move(load.question), promise));
  }
  hand_out(which);
  return promise;
}

void reader_pool::on_gone(const reader_gone& who) {
  auto& readers = ops::the_metrics().of(ops::actor_kind::reader);
  readers.live.add(-1);
  readers.failed.add();
  ops::log(ops::level::error, "actor_crashed", {{"kind", "reader"}, {"id", static_cast<std::int64_t>(who.reader)}});
  if (const auto lost = line(who.on).replace(who.reader, watched_reader(who.on, who.reader)))
    settle(*lost, trouble::lost);
  hand_out(who.on);
}

void reader_pool::on_done(read_done& done) {
  line(done.on).done(done.reader);
  settle(*done.task, done.why);
  hand_out(done.on);
}

/// It is heard of when it dies, unless it was told to end.
reader_entity reader_pool::watched_reader(lane which, std::size_t number) {
  const auto me = caf::actor_cast<caf::actor_addr>(caf::actor{self_});
  auto fresh = spawn_reader(self_->home_system(), how_, *status_, which, number, me);
  caf::actor_cast<caf::actor>(fresh)->attach_functor([me, which, number](const caf::error& why) {
    const bool was_told = !why || why == caf::exit_reason::normal || why == caf::exit_reason::user_shutdown;
    if (auto pool = caf::actor_cast<caf::actor>(me); pool && !was_told)
      caf::anon_send(pool, reader_gone{which, number});
  });
  return fresh;
}

void reader_pool::start_lane(lane which, std::uint32_t count, lane_queue::bounds bounds) {
  std::vector<reader_entity> readers;
  for (std::size_t i = 0; i < std::max(count, 1u); ++i)
    readers.push_back(watched_reader(which, i));
  const auto at = static_cast<std::size_t>(which);
  lanes_[at].start(bounds, std::move(readers), &metrics().reads_waiting[at]);
}

std::optional<caf::error> reader_pool::denied(lane which, const asker& whose) {
  metrics().loads.add();
  if (!status_->owned.load(std::memory_order_acquire)) {
    metrics().load_failures.add();
    return caf::make_error(caf::sec::runtime_error);
  }
  if (const auto full = line(which).enter(whose)) {
    metrics().load_failures.add();
    return make_error(*full);
  }
  return std::nullopt;
}

void reader_pool::push(std::shared_ptr<reading> group) {
  if (group)
    line(group->in_lane()).push(std::move(group));
}

void reader_pool::hand_out(lane which) {
  auto& from = line(which);
  for (;;)
    if (auto late = from.next_late())
      settle(*late, trouble::deadline); // the database is spared the work
    else if (auto next = from.next())
      from.hand_out(self_, std::move(next));
    else
      return;
}

/// Answers, or splits a group that was refused; then the next group of its kind has its turn.
void reader_pool::settle(reading& reading, std::optional<trouble> why) {
  const bool refused = why == trouble::refused || why == trouble::usage;
  if (!(refused && split(reading)))
    tell(reading, why);
  if (auto& together = kinds_.at(reading.kind()).together; together.is_under_way(&reading))
    push(together.next());
}

void reader_pool::tell(reading& reading, std::optional<trouble> why) {
  line(reading.in_lane()).leave(reading.whose(), reading.size());
  if (why) {
    metrics().load_failures.add(static_cast<std::int64_t>(reading.size()));
    return reading.fail(
      caf::make_error(why == trouble::deadline ? caf::sec::request_timeout : caf::sec::runtime_error));
  }
  metrics().load.observe(steady_clock::now() - reading.asked_at);
  reading.answer();
}

bool reader_pool::split(const reading& reading) {
  auto& together = kinds_.at(reading.kind()).together;
  return together.is_under_way(&reading) && together.split();
}

void reader_pool::end(caf::error why) {
  const auto gone = caf::make_error(caf::sec::runtime_error);
  for (auto& [type, each] : kinds_)
    each.together.fail(gone);
  for (auto& each : lanes_)
    each.end(self_);
  self_->quit(std::move(why));
}

namespace {

template <class... Storage>
std::vector<load_handler> handlers_of_all(types<Storage...>) {
  std::vector<load_handler> out;
  for (const auto& of_one : {handlers_of<Storage>()...})
    out.insert(out.end(), of_one.begin(), of_one.end());
  return out;
}

caf::behavior behave_pool(reader_pool::pointer self, const settings::store& how, const store_status* status) {
  auto& pool = self->state;
  pool.start(self, how, status, handlers_of_all(all_entities{}));
  // CAF tries one after the other: what comes with each reading is tried first.
  return {[&pool](read_done& done) { pool.on_done(done); }, [&pool](any_load& load) { return pool.on_load(load); },
          [&pool](const reader_gone& who) { pool.on_gone(who); }};
}

} // namespace

reader_handle spawn_readers(caf::actor_system& sys, const settings::store& how, const store_status& status) {
  return caf::actor_cast<reader_handle>(sys.spawn(behave_pool, how, &status));
}

} // namespace credence::persistence
