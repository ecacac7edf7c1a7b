#include "actors/store.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "persistence/readers/reader_pool.hpp"

#include <algorithm>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;

ops::store_metrics& metrics() { return ops::the_metrics().store; }

/// Loads wait in line: an entity that nobody waits for any more is there for who comes next, and a
/// large one would never be if it began anew each time. The front admits far fewer questions than this.
constexpr lane_queue::bounds bounds_of_loads{131072, 1024, 15s, milliseconds{24h}};
constexpr std::size_t lists_waiting_max = 2048;
constexpr auto sweep_every = 100ms;          // after overdue questions
constexpr std::uint32_t console_readers = 2; // connected when the console first asks

} // namespace

void reader_pool::start(const settings::store& how, const store_status* status, std::vector<load_handler> kinds) {
  for (const auto& each : kinds)
    kinds_.emplace(each.kind, kind{each, {}});
  how_ = how;
  status_ = status;
  start_lane(lane::loads, how.readers, bounds_of_loads);
  const lane_queue::bounds bounds_of_lists{lists_waiting_max, lists_waiting_each, 2 * how.load_timeout,
                                           4 * how.load_timeout};
  start_lane(lane::lists, how.list_readers, bounds_of_lists);
  start_lane(lane::console, console_readers, bounds_of_lists);
}

void reader_pool::on(const ask<any_load>& load) {
  take_in(std::move(load.question().question), load.get()->by(),
          {load, [](const question_ref& who, std::any& found) {
             static_cast<const ask<any_load>&>(who).answer(std::move(found));
           }});
}

void reader_pool::on(straight_load& load) {
  const auto now = steady_clock::now();
  if (load.asked.get()->expired(now))
    return load.asked.fail(failure::timed_out);
  // Nobody waits for it after that, so it keeps no place, no connection and no Idempotency-Key.
  if (straight_.empty())
    after(sweep_every, sweep_due{});
  const auto until = std::min(now + how_.load_timeout, load.asked.get()->deadline());
  straight_.push_back(
    {until, load.asked, take_in(std::move(load.question), load.asked.get()->by(), {load.asked, load.answer})});
}

void reader_pool::on(const sweep_due&) {
  const auto now = steady_clock::now();
  std::vector<question_ref> overdue;
  std::erase_if(straight_, [&](const straight_question& each) {
    if (each.until <= now) {
      count_so_far(each, now);
      overdue.push_back(each.asked);
    }
    return each.until <= now || each.asked.get()->answered();
  });
  if (!straight_.empty())
    after(sweep_every, sweep_due{});
  for (const auto& each : overdue)
    each.fail(failure::unavailable); // unless it has its answer
}

/// A list whose asker waits no more has cost what has been read of it. A server that should have given it up by now
/// stands still, which is nobody's doing.
void reader_pool::count_so_far(const straight_question& late, steady_time now) const {
  const auto what = late.read.lock();
  if (!what || what->in_lane() != lane::lists || late.asked.get()->answered())
    return;
  if (const auto ran = what->running_for(now); ran <= given_up_after(what->how(), how_))
    late.asked.get()->add_database_time(ran);
}

std::weak_ptr<const reading> reader_pool::take_in(std::any question, const asker& by, reading::listener to) {
  const auto refuse = [&to](failure why) {
    to.who.fail(why);
    return std::weak_ptr<const reading>{};
  };
  const auto found = kinds_.find(question.type());
  if (found == kinds_.end())
    return refuse(failure::unavailable);
  auto& [how, batch_max] = found->second;
  const bool alone = how.how.batch_max == 1;
  const auto whose = alone ? by : asker{};
  const auto which = whose.rank == asker_rank::console ? lane::console : how.how.on;
  if (const auto why = denied(which, whose))
    return refuse(*why);
  std::weak_ptr<const reading> out;
  if (alone) {
    auto fresh = std::make_shared<reading>(how, which, whose);
    fresh->add(std::move(question), std::move(to));
    out = fresh;
    push(std::move(fresh));
  } else {
    push(batch_max.add(how, std::move(question), std::move(to)));
  }
  hand_out(which);
  return out;
}

void reader_pool::on(const reader_gone& who) {
  auto& readers = ops::the_metrics().of(ops::actor_kind::reader);
  readers.live.add(-1);
  readers.failed.add();
  ops::log(ops::level::error, "actor_crashed", {{"kind", "reader"}, {"id", static_cast<std::int64_t>(who.reader)}});
  if (const auto lost = line(who.on).replace(who.reader, watched_reader(who.on, who.reader)))
    finish(*lost, trouble::lost);
  hand_out(who.on);
}

void reader_pool::on(read_done& done) {
  line(done.on).done(done.reader);
  finish(*done.task, done.why);
  hand_out(done.on);
}

/// It is heard of when it dies, unless it was told to end.
reader_entity reader_pool::watched_reader(lane which, std::size_t number) {
  const weak_actor_ref me{this_actor()};
  auto fresh = spawn_reader(system(), how_, *status_, which, number, me);
  when_gone(fresh, [me, which, number](bool was_told, const std::string&) {
    if (!was_told)
      send(actor_handle<reader_gone>{me.lock()}, reader_gone{which, number});
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

std::optional<failure> reader_pool::denied(lane which, const asker& whose) {
  metrics().loads.add();
  if (!status_->owned.load(std::memory_order_acquire)) {
    metrics().load_failures.add();
    return failure::unavailable;
  }
  if (const auto full = line(which).enter(whose)) {
    metrics().load_failures.add();
    return full;
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
      finish(*late, trouble::deadline); // the database is spared the work
    else if (auto next = from.next(); next && !next->wanted())
      finish(*next, trouble::deadline);
    else if (next)
      from.hand_out(std::move(next));
    else
      return;
}

/// Answers, or splits a group that was refused; then the next group of its kind has its turn.
void reader_pool::finish(reading& reading, std::optional<trouble> why) {
  const bool refused = why == trouble::refused || why == trouble::usage;
  if (!(refused && split(reading)))
    tell(reading, why);
  if (auto& batch_max = kinds_.at(reading.kind()).batch_max; batch_max.is_under_way(&reading))
    push(batch_max.next());
}

void reader_pool::tell(reading& reading, std::optional<trouble> why) {
  line(reading.in_lane()).leave(reading.whose(), reading.size());
  if (why) {
    metrics().load_failures.add(static_cast<std::int64_t>(reading.size()));
    return reading.fail(failure::unavailable);
  }
  metrics().load.observe(steady_clock::now() - reading.asked_at);
  reading.answer();
}

bool reader_pool::split(const reading& reading) {
  auto& batch_max = kinds_.at(reading.kind()).batch_max;
  return batch_max.is_under_way(&reading) && batch_max.split();
}

void reader_pool::told_to_end() {
  for (auto& [type, each] : kinds_)
    each.batch_max.fail(failure::unavailable);
  for (auto& each : lanes_)
    each.end();
  quit();
}

namespace {

template <class... Loads>
std::vector<load_handler> handlers_of(types<Loads...>) {
  return {handler(asked<typename Loads::question>{})...};
}

} // namespace

reader_handle spawn_readers(caf::actor_system& sys, const settings::store& how, const store_status& status) {
  return reader_handle{spawn<reader_pool>(sys, how, &status, handlers_of(all_loads{}))};
}

} // namespace credence::persistence
