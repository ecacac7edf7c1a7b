#include "persistence/writer/store_health.hpp"

#include "ops/log.hpp"

#include <algorithm>
#include <utility>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr auto probe_every = 500ms;
constexpr auto clock_check_every = 1s;

void log_error(std::string_view event, const database_error& why) {
  ops::log(ops::level::error, event, {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
}

} // namespace

store_health::store_health(store_status& status, ops::writer_metrics& metrics, clock_source clocks)
  : status_(status), metrics_(metrics), clocks_(clocks) {
  metrics_.clock_good.set(1); // until it is found wrong
}

void store_health::asking() { asked_at_ = boot_now(); }

void store_health::good() {
  const auto now = steady_clock::now();
  next_probe_ = std::min(now + probe_every, next_clock_check_);
  status_.last_good_ns.store(nanoseconds{now.time_since_epoch()}.count(), std::memory_order_relaxed);
  owned();
}

void store_health::owned() { status_.owned_at_ns.store(asked_at_.count(), std::memory_order_release); }

void store_health::probe_later() { next_probe_ = steady_clock::now() + probe_every; }

void store_health::well() {
  if (!std::exchange(away_logged_, false))
    return;
  ops::log(ops::level::info, "store_reachable");
  metrics_.trouble.clear();
}

void store_health::set_writable(bool yes) {
  can_write_ = yes;
  if (yes && std::exchange(away_logged_, false)) {
    ops::log(ops::level::info, "store_writable");
    metrics_.trouble.clear();
  }
  const bool all = yes && status_.clock.load(std::memory_order_relaxed) == clock_verdict::good;
  status_.writable.store(all, std::memory_order_release);
  metrics_.writable.set(all ? 1 : 0);
}

void store_health::log_once(std::string_view event, const database_error& why) {
  metrics_.trouble.note(why.sqlstate(), why.what());
  if (!std::exchange(away_logged_, true))
    log_error(event, why);
}

void store_health::log_loss(std::string_view event, const database_error& why) {
  metrics_.trouble.note(why.sqlstate(), why.what());
  away_logged_ = true;
  log_error(event, why);
}

/// Nothing is stamped by a wall clock that is wrong: `system_now` goes on from where it was good.
void store_health::judge_clock(timestamp before, timestamp theirs) {
  const auto found = clock_.judge(before, theirs, clocks_.wall(), boot_now());
  next_clock_check_ = steady_clock::now() + clock_check_every;
  status_.clock_difference_us.store(clock_.difference().count(), std::memory_order_relaxed);
  metrics_.clock_difference_us.set(clock_.difference().count());
  if (found == clock_verdict::good)
    clocks_.follow(*clock_.ahead());
  const auto seconds = std::chrono::duration<double>{clock_.difference()}.count();
  if (const auto was = status_.clock.exchange(found, std::memory_order_release); was != found) {
    if (found == clock_verdict::good)
      ops::log(ops::level::info, "clock_good", {{"ahead_of_database_s", seconds}});
    else
      ops::log(ops::level::error, found == clock_verdict::differs ? "clock_differs" : "clock_stepped",
               {{"ahead_of_database_s", seconds}, {"most_s", static_cast<std::int64_t>(clock_difference_max.count())}});
    set_writable(can_write_);
  }
  metrics_.clock_good.set(found == clock_verdict::good ? 1 : 0);
}

} // namespace credence::persistence
